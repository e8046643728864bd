// Makes the page's pictures interactive, and switches between light and dark. It stores nothing and asks nobody. Without it the
// page has everything but tooltips.
"use strict";

(() => {
  const root = document.documentElement;
  const SYMBOLS = ["circle", "rect", "triangle", "diamond"]; // as outlines in draw.go
  const STYLES = 8;

  // Charts: pictures of the page's JSON block, each in the figure that has its id.

  const known = v => v !== null;
  const at = (scale, v) => (scale.log ? Math.log2(v) : v);

  // colors are what the names of the style mean at present, in light or dark. Asking costs a layout of the page, so it is done once
  // for all charts.
  const probe = document.createElement("span");
  probe.hidden = true;
  let colors = {};
  const readColors = () => {
    const names = ["text", "muted", "grid", "card", "base", "band", ...Array.from({ length: STYLES }, (_, i) => "s" + i)];
    colors = Object.fromEntries(names.map(name => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }));
    colors.font = getComputedStyle(document.body).fontFamily;
  };
  const color = name => colors[name];
  const styleColor = style => (style < 0 ? color("base") : color("s" + (style % STYLES)));

  const shape = style => {
    if (style < 0) return { symbol: SYMBOLS[0], hollow: false };
    const n = (style + Math.floor(style / STYLES)) % STYLES;
    return { symbol: SYMBOLS[n % SYMBOLS.length], hollow: n >= SYMBOLS.length };
  };

  const axis = (scale, name) => ({
    type: "value",
    min: at(scale, scale.min),
    max: at(scale, scale.max),
    name,
    nameLocation: "middle",
    nameTextStyle: { color: color("muted"), fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: color("grid") } },
    axisTick: { show: true, customValues: scale.ticks.map(t => at(scale, t.value)), lineStyle: { color: color("grid") } },
    axisLabel: {
      color: color("muted"),
      fontSize: 11,
      hideOverlap: true,
      showMinLabel: true,
      showMaxLabel: true,
      customValues: scale.ticks.map(t => at(scale, t.value)),
      formatter: v => {
        const tick = scale.ticks.find(t => Math.abs(at(scale, t.value) - v) < 1e-9 * Math.max(1, Math.abs(v)));
        return tick ? tick.label : "";
      },
    },
  });

  // lines are the ECharts series of one of ours: its intervals as two stacked lines with the area between them filled, and itself.
  // All have the same name, so that the legend's buttons show and hide them together.
  const lines = (p, s, i) => {
    const stroke = styleColor(s.style);
    const { symbol, hollow } = shape(s.style);
    const points = s.points.map(q => ({ x: at(p.x, q.x), y: q.y, low: q.low, high: q.high }));
    const whole = q => known(q.low) && known(q.high) && !(p.y.log && q.low <= 0);
    const edge = {
      type: "line", name: "s" + i, stack: "interval" + i, stackStrategy: "all", symbol: "none", silent: true,
      lineStyle: { width: 0 }, tooltip: { show: false }, emphasis: { disabled: true }, z: 1,
    };
    const low = points.map(q => [q.x, whole(q) ? at(p.y, q.low) : null]);
    const width = points.map(q => [q.x, whole(q) ? at(p.y, q.high) - at(p.y, q.low) : null]);
    const main = {
      type: "line", name: "s" + i, id: "line" + i, z: s.style < 0 ? 4 : 3,
      data: points.map(q => [q.x, known(q.y) ? at(p.y, q.y) : null]),
      symbol, symbolSize: symbol === "diamond" ? 9 : 7, showAllSymbol: true,
      itemStyle: { color: hollow ? color("card") : stroke, borderColor: stroke, borderWidth: 1.5 },
      lineStyle: { color: stroke, width: s.style < 0 ? 3 : 2, type: s.style < 0 ? "dashed" : "solid" },
      emphasis: { focus: "series", scale: 1.4, lineStyle: { width: 3 } },
      blur: { lineStyle: { opacity: 0.25 }, itemStyle: { opacity: 0.25 } },
    };
    // An interval without neighbours has no area: it is a bar.
    const y = v => at(p.y, Math.min(Math.max(v, p.y.min), p.y.max));
    const alone = points.filter((q, k) => whole(q) && ![points[k - 1], points[k + 1]].some(n => n && whole(n)));
    if (alone.length > 0) {
      main.markLine = {
        silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: stroke, width: 2, type: "solid" },
        data: alone.map(q => [{ coord: [q.x, y(q.low)] }, { coord: [q.x, y(q.high)] }]),
      };
    }
    return [
      { ...edge, id: "low" + i, data: low },
      { ...edge, id: "width" + i, data: width, areaStyle: { color: stroke, opacity: 0.16 } },
      main,
    ];
  };

  // ground draws the line at zero and the band of changes that do not matter.
  const ground = p => {
    const s = { type: "line", id: "ground", name: "ground", data: [], silent: true, z: 0, tooltip: { show: false } };
    if (p.zero && p.y.min < 0 && !p.y.log) {
      s.markLine = {
        silent: true, symbol: "none", animation: false, label: { show: false }, data: [{ yAxis: 0 }],
        lineStyle: { color: color("base"), type: "dashed", width: 1.5 },
      };
    }
    if (p.band > 0 && !p.y.log) {
      const y = v => Math.min(Math.max(v, p.y.min), p.y.max);
      s.markArea = {
        silent: true, animation: false, itemStyle: { color: color("band") },
        data: [[{ yAxis: y(-p.band) }, { yAxis: y(p.band) }]],
      };
    }
    return s;
  };

  // balloon is what stands beside the pointer: what is said of every visible series at the nearest x.
  const balloon = (p, hidden) => params => {
    const first = params.find(q => q.seriesId.startsWith("line"));
    const box = document.createElement("div");
    if (!first) return box;
    const x = first.value[0];
    const tick = p.x.ticks.find(t => Math.abs(at(p.x, t.value) - x) < 1e-9);
    const head = document.createElement("b");
    head.textContent = p.single ? p.single : tick ? `${tick.label} ${p.x.name}` : p.x.name;
    box.append(head);
    const table = document.createElement("table");
    p.series.forEach((s, i) => {
      const q = s.points.find(q => Math.abs(at(p.x, q.x) - x) < 1e-9);
      if (!q || hidden.has(s.style)) return;
      const row = table.insertRow();
      const mark = row.insertCell();
      mark.style.color = styleColor(s.style);
      mark.textContent = s.style < 0 ? "┅" : "━";
      const name = document.createElement("bdi");
      name.textContent = s.name;
      row.insertCell().append(name);
      row.insertCell().textContent = q.text || "–";
    });
    box.append(table);
    return box;
  };

  // beside keeps the balloon inside the window, which may be wider than the chart.
  const beside = place => (point, _params, _dom, _rect, size) => {
    const chart = place.getBoundingClientRect();
    const [w, h] = size.contentSize;
    let x = chart.left + point[0] + 16;
    if (x + w > root.clientWidth - 8) x = chart.left + point[0] - w - 16;
    x = Math.max(8, Math.min(x, root.clientWidth - w - 8));
    let y = chart.top + point[1] + 16;
    if (y + h > innerHeight - 8) y = chart.top + point[1] - h - 16;
    return [x - chart.left, Math.max(8, y) - chart.top];
  };

  const options = (p, place, hidden) => ({
    animation: false,
    textStyle: { fontFamily: colors.font },
    aria: { enabled: false }, // the figure says what it shows in its own words
    grid: { left: 8, right: 18, top: 12, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "all" },
    xAxis: {
      ...axis(p.x, p.x.name + (p.x.unit && p.x.unit !== p.x.name ? ` [${p.x.unit}]` : "")),
      nameGap: 24, splitLine: { show: false }, axisPointer: { snap: true },
    },
    yAxis: { ...axis(p.y, ""), splitLine: { lineStyle: { color: color("grid") } } },
    legend: { show: false, data: p.series.map((_, i) => "s" + i) },
    tooltip: {
      trigger: "axis", appendTo: document.body, className: "balloon", transitionDuration: 0,
      axisPointer: { lineStyle: { color: color("muted") } },
      backgroundColor: color("card"), borderColor: color("grid"), textStyle: { color: color("text"), fontSize: 13 },
      formatter: balloon(p, hidden), position: beside(place),
    },
    series: [ground(p), ...p.series.flatMap((s, i) => lines(p, s, i))],
  });

  const charts = [];
  const start = ({ p, figure, place }) => {
    const group = figure.closest(".charts");
    try {
      const hidden = new Set([...group.querySelectorAll('button[aria-pressed="false"]')].map(b => Number(b.dataset.style)));
      const c = { p, place, hidden, group, chart: echarts.init(place, null, { renderer: "canvas" }) };
      draw(c);
      charts.push(c);
    } catch (err) {
      figure.classList.remove("on"); // the drawing is as good
      console.error(err);
    }
  };
  const draw = ({ p, place, hidden, chart }) => {
    chart.setOption(options(p, place, hidden), { notMerge: true });
    p.series.forEach((s, i) => hidden.has(s.style) && chart.dispatchAction({ type: "legendUnSelect", name: "s" + i }));
  };
  const redraw = () => {
    readColors();
    charts.forEach(draw);
  };

  // The buttons of a legend show and hide a series in all charts of its group, and make it stand out while pointed at.
  const legend = group => {
    const each = (style, f) => charts.filter(c => c.group === group).forEach(c => {
      const i = c.p.series.findIndex(s => s.style === style);
      if (i >= 0) f(c, "s" + i);
    });
    group.querySelectorAll("button[data-style]").forEach(button => {
      const style = Number(button.dataset.style);
      button.disabled = false;
      button.title = "show or hide";
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(show));
        each(style, (c, id) => {
          c.hidden[show ? "delete" : "add"](style);
          c.chart.dispatchAction({ type: show ? "legendSelect" : "legendUnSelect", name: id });
        });
      });
      const light = type => () => each(style, (c, id) => c.chart.dispatchAction({ type, seriesName: id }));
      button.addEventListener("mouseenter", light("highlight"));
      button.addEventListener("mouseleave", light("downplay"));
    });
  };

  // Light and dark.

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const toggle = document.getElementById("theme");
  const say = () => { toggle.textContent = isDark() ? "Light" : "Dark"; };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
    redraw();
  });
  dark.addEventListener("change", () => { say(); redraw(); });
  say();

  // Paper has no toggles: what is folded is unfolded for it, but for lists that are too long for paper.

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open]):not(.long)")];
    folded.forEach(d => { d.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach(d => { d.open = false; }));

  document.body.append(probe);
  readColors();
  document.querySelectorAll(".charts").forEach(legend);
  const queue = JSON.parse(document.getElementById("data").textContent).map(p => {
    const figure = document.getElementById("chart-" + p.id);
    return { p, figure, place: figure.querySelector(".live") };
  });
  queue.forEach(c => c.figure.classList.add("on")); // shows .live, hides the drawing
  // One by one, so that the page can be read and scrolled meanwhile.
  const next = () => {
    const c = queue.shift();
    if (!c) {
      root.dataset.ready = "true";
      return;
    }
    start(c);
    setTimeout(next);
  };
  next();
  let resize = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(resize);
    resize = requestAnimationFrame(() => charts.forEach(c => c.chart.resize()));
  });
})();
