# Three images, each of one static program and nothing else: docker build --target bff, fakes or storefront.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
# grpcnotrace leaves out gRPC's pages for people. Their templates find methods by name, so the linker would keep every
# method of every library: nine megabytes of them.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags grpcnotrace -ldflags "-s -w -X main.release=$VERSION" \
    -o /out/ ./cmd/bff ./cmd/fakes ./cmd/storefront

FROM scratch AS fakes
COPY --from=build /out/fakes /fakes
USER 65532:65532
ENTRYPOINT ["/fakes"]

FROM scratch AS storefront
COPY --from=build /out/storefront /storefront
USER 65532:65532
ENTRYPOINT ["/storefront"]

# The last one is what a build without a target makes.
FROM scratch AS bff
COPY --from=build /out/bff /bff
USER 65532:65532
ENTRYPOINT ["/bff"]
