// Drawings of the things that the shop sells, in a box of 200 by 200; they stand on y = 172. Each part has a class that
// gives it one of the product's colours: main, other, dark, pale.

const path = (shade, d) => ["path", { class: shade, d }];
const round = (shade, cx, cy, rx, ry = rx) => ["ellipse", { class: shade, cx, cy, rx, ry }];
const box = (shade, x, y, width, height, rx = 0) => ["rect", { class: shade, x, y, width, height, rx }];
const line = (shade, d, width) => ["path", { class: `line ${shade}`, d, "stroke-width": width }];

export const things = {
  armchair: [
    line("dark", "M64 152L58 172M136 152L142 172", 5),
    box("main", 56, 64, 88, 74, 22), path("pale", "M66 86a20 20 0 0 1 20-14h12v58H66Z"),
    box("other", 58, 116, 84, 30, 10), box("main", 42, 100, 24, 52, 12), box("main", 134, 100, 24, 52, 12), box("dark", 62, 142, 76, 10, 4),
  ],
  backpack: [
    line("dark", "M84 66v-10a16 16 0 0 1 32 0v10", 6),
    path("main", "M56 108a44 48 0 0 1 88 0v50a14 14 0 0 1-14 14H70a14 14 0 0 1-14-14Z"), path("pale", "M64 108a36 40 0 0 1 22-38v100H72a8 8 0 0 1-8-8Z"),
    box("other", 68, 122, 64, 42, 10), line("dark", "M68 138h64", 4), box("dark", 94, 134, 12, 12, 3), line("dark", "M70 96h60", 3),
  ],
  bench: [
    line("dark", "M58 124L50 172M142 124L150 172", 7), line("dark", "M56 150H144", 4),
    box("main", 34, 108, 132, 12, 4), box("pale", 34, 108, 132, 5, 3), box("other", 34, 122, 132, 8, 3),
  ],
  blanket: [
    path("dark", "M48 150q52 14 104 0v14q-52 16-104 0Z"), path("main", "M46 132q54 14 108 0v18q-54 16-108 0Z"),
    path("other", "M48 114q52 14 104 0v18q-52 14-104 0Z"), path("main", "M50 96q50 14 100 0v18q-50 14-100 0Z"), path("pale", "M50 96q50-12 100 0q-50 14-100 0Z"),
    line("pale", "M58 172v-6M70 174v-6M82 176v-6M94 176v-6M106 176v-6M118 176v-6M130 174v-6M142 172v-6", 2),
  ],
  carafe: [
    path("pale", "M86 44h28v34c0 16 28 28 28 58 0 24-18 36-42 36s-42-12-42-36c0-30 28-42 28-58Z"),
    path("main", "M60 126c4-4 40-8 80 0 6 28-12 46-40 46s-46-18-40-46Z"), round("other", 100, 126, 40, 6),
    box("other", 84, 38, 32, 8, 4), line("light", "M74 132c-2 12 4 22 12 28", 4),
  ],
  lamp: [
    round("dark", 100, 168, 34, 7), line("dark", "M100 166L72 112L112 70", 6), round("other", 72, 112, 6),
    path("main", "M96 62L132 40L160 82L110 96Z"), path("pale", "M96 62L132 40L138 49L103 80Z"), path("glow", "M110 96L160 82L176 172H92Z"),
  ],
  kettle: [
    line("dark", "M70 84c-4-44 64-44 60 0", 7), path("main", "M138 112l26-26 8 6-26 44Z"),
    path("main", "M62 92q38-18 76 0c16 16 22 44 16 66q-2 14-14 14H60q-12 0-14-14c-6-22 0-50 16-66Z"),
    path("pale", "M66 94q8-4 16-6c-16 22-22 50-16 76h-6q-6 0-8-8c-4-22 0-46 14-62Z"), round("dark", 100, 84, 26, 6), round("other", 100, 74, 7), box("other", 50, 152, 100, 6),
  ],
  notebook: [
    box("dark", 60, 58, 88, 116, 6), box("light", 58, 56, 86, 114, 4), box("main", 52, 54, 88, 118, 6), box("pale", 52, 54, 14, 118, 6),
    box("light", 80, 78, 44, 24, 3), line("dark", "M88 87h28M88 94h18", 2), line("other", "M128 54v118", 5),
  ],
  planter: [
    path("leaf", "M98 112c-8-34-34-44-52-46 2 26 20 46 52 46Z"), path("leaf", "M102 112c6-40 32-54 54-56-2 30-20 56-54 56Z"), path("leaf", "M100 112c-16-26-12-60 2-78 14 22 14 54-2 78Z"),
    line("dark", "M100 118V60M98 114C88 94 72 80 58 74M102 114c8-22 24-38 42-48", 2),
    path("main", "M56 112h88l-10 54q-1 6-8 6H74q-7 0-8-6Z"), path("pale", "M62 122h16l6 50H74q-6 0-7-6Z"), box("other", 50, 104, 100, 16, 5),
  ],
  teapot: [
    line("main", "M140 100c34-8 34 44-4 44", 9), path("main", "M64 132C40 132 44 98 24 88l8-8c24 8 28 30 40 34Z"),
    round("main", 100, 128, 48, 42), path("pale", "M64 118c6-16 16-22 28-26-14 18-18 44-8 70-16-8-26-24-20-44Z"),
    round("dark", 100, 92, 26, 6), path("other", "M76 90c4-14 44-14 48 0q-24 10-48 0Z"), round("other", 100, 74, 7), box("dark", 74, 164, 52, 8, 4),
  ],
  toolbox: [
    line("dark", "M72 88V68a8 8 0 0 1 8-8h40a8 8 0 0 1 8 8v20", 7), path("other", "M40 98l10-14h100l10 14v14H40Z"),
    box("main", 40, 108, 120, 64, 6), box("pale", 40, 108, 120, 12, 4), box("dark", 60, 102, 14, 22, 3), box("dark", 126, 102, 14, 22, 3), box("other", 84, 134, 32, 18, 3),
  ],
  vase: [
    line("stem", "M96 70C92 50 84 40 70 30M102 70c2-26 8-40 24-52M99 70V20", 2.5), round("leaf", 70, 30, 9, 6), round("leaf", 127, 18, 9, 6), round("leaf", 99, 18, 6, 9), round("leaf", 84, 46, 8, 4), round("leaf", 112, 40, 8, 4),
    path("main", "M86 66h28c-2 20 2 26 16 40 22 22 14 66-14 66H84c-28 0-36-44-14-66 14-14 18-20 16-40Z"),
    path("pale", "M90 68h8c0 24-6 30-18 46-12 18-10 44 4 56-26-2-32-44-12-64 14-14 18-20 18-38Z"), box("other", 82, 60, 36, 9, 4), line("other", "M62 124q38 14 76 0", 6),
  ],
};
