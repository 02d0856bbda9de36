package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// object is a JSON object. Its members are written in alphabetical order, so that the files change only where the
// table does.
type object map[string]any

// source is the data source that the dashboard's one variable names.
var source = object{"type": "prometheus", "uid": "${datasource}"}

// The width of a dashboard, and the usual size of a panel, in Grafana's units.
const (
	fullWidth     = 24
	usualPerLine  = 3
	usualHeight   = 8
	headingHeight = 1
)

// render is the dashboard as Grafana reads it.
func (d *dashboard) render() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(object{
		"uid": d.uid, "title": d.title, "description": d.about, "tags": []string{"bff"},
		"schemaVersion": 39, "editable": false, "graphTooltip": 1, // one crosshair over all panels
		"refresh": "30s", "time": object{"from": "now-3h", "to": "now"}, "timezone": "browser",
		"templating": object{"list": []object{{
			"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "refresh": 1,
			"current": object{"text": "Prometheus", "value": "prometheus"},
		}}},
		"links": []object{{
			"type": "dashboards", "title": "The product page", "tags": []string{"bff"}, "asDropdown": false,
			"keepTime": true, "includeVars": true, "targetBlank": false, "icon": "dashboard", "tooltip": "", "url": "",
		}},
		"annotations": object{"list": annotations()},
		"panels":      d.layout(),
	})
	return b.Bytes(), err
}

// annotations mark in every panel when an alert fired, and when an instance began, which a deploy makes them do.
func annotations() []object {
	return []object{
		{
			"name": "Alerts", "datasource": source, "enable": true, "iconColor": "red", "step": "30s",
			"expr": firing, "titleFormat": "{{alertname}}", "tagKeys": "severity",
			"textFormat": "{{severity}} {{scope}} {{client}} {{downstream}} {{window}}",
		},
		{
			"name": "Starts of instances", "datasource": source, "enable": true, "iconColor": "blue", "step": "30s",
			"expr": `process_start_time_seconds{job="bff"} * 1000`, "useValueForTime": true,
			"titleFormat": "started", "textFormat": "{{instance}}", "tagKeys": "",
		},
	}
}

// layout places the rows below each other, and the panels of each in lines that they fill.
func (d *dashboard) layout() []object {
	var all []object
	y := 0
	add := func(o object, x, width, height int) {
		o["id"] = len(all) + 1
		o["gridPos"] = object{"x": x, "y": y, "w": width, "h": height}
		all = append(all, o)
	}
	for _, r := range d.rows {
		add(object{"type": "row", "title": r.title, "collapsed": false, "panels": []object{}}, 0, fullWidth, headingHeight)
		y += headingHeight
		height := cmp.Or(r.height, usualHeight)
		for line := range slices.Chunk(r.panels, cmp.Or(r.perLine, usualPerLine)) {
			x, width := 0, fullWidth/len(line)
			for i := range line {
				if i == len(line)-1 {
					width = fullWidth - x
				}
				add(line[i].render(), x, width, height)
				x += width
			}
			y += height
		}
	}
	return all
}

func (p *panel) render() object {
	o := object{
		"type": p.draw.panelType(), "title": p.title, "description": p.about, "datasource": source,
		"targets": p.targets(), "options": p.draw.options(),
		"fieldConfig": object{"defaults": p.fields(), "overrides": []object{}},
	}
	if p.draw == list {
		o["transformations"] = []object{{"id": "organize", "options": object{"excludeByName": object{"Time": true}}}}
	}
	if p.then != "" {
		o["links"] = []object{{"title": "Look there next", "targetBlank": false, "url": "/d/" + p.then + "?${datasource:queryparam}&${__url_time_range}"}}
	}
	return o
}

func (p *panel) targets() []object {
	now := p.draw == number || p.draw == list
	all := make([]object, len(p.queries))
	for i, q := range p.queries {
		all[i] = object{
			"refId": string(rune('A' + i)), "datasource": source, "expr": q.expr, "legendFormat": q.legend,
			"instant": now, "range": !now, "exemplar": p.traces, "format": "time_series", "editorMode": "code",
		}
		if p.draw == list {
			all[i]["format"] = "table"
		}
	}
	return all
}

// fields is how values look.
func (p *panel) fields() object {
	steps := make([]object, 0, len(p.colours)+1)
	for _, c := range p.colours {
		step := object{"color": c.name, "value": c.from}
		if math.IsInf(c.from, -1) {
			step["value"] = nil
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		steps = append(steps, object{"color": "green", "value": nil})
	}
	defaults := object{
		"unit": p.unit, "noValue": "none", "color": object{"mode": "palette-classic-by-name"},
		"thresholds": object{"mode": "absolute", "steps": steps},
	}
	switch p.draw {
	case number, list:
		defaults["color"] = object{"mode": "thresholds"}
		return defaults
	case stacked:
		defaults["custom"] = object{"axisSoftMin": 0, "fillOpacity": 40, "lineWidth": 1, "showPoints": "never", "stacking": object{"mode": "normal", "group": "A"}}
	case lines:
		defaults["custom"] = object{"axisSoftMin": 0, "fillOpacity": 0, "lineWidth": 1, "showPoints": "auto"}
	}
	if len(steps) > 1 {
		defaults["custom"].(object)["thresholdsStyle"] = object{"mode": "dashed"}
	}
	return defaults
}

func (d drawing) panelType() string {
	return [...]string{lines: "timeseries", stacked: "timeseries", number: "stat", list: "table"}[d]
}

func (d drawing) options() object {
	switch d {
	case number:
		return object{
			"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "value_and_name",
			"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		}
	case list:
		return object{"showHeader": true, "cellHeight": "sm"}
	default:
		return object{
			"legend":  object{"showLegend": true, "displayMode": "table", "placement": "bottom", "calcs": []string{"lastNotNull", "max"}},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		}
	}
}
