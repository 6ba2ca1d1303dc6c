"use strict";
// Reads out the counts under the pointer. Without this script everything but the readout is there.
(async () => {
  const clip = JSON.parse(document.getElementById("clip").textContent);
  const root = document.documentElement, readout = document.getElementById("readout");
  const rows = 256, perColumn = clip.channels.length * rows, columns = clip.times.length;
  const heats = [...document.querySelectorAll(".heat")], overs = [...document.querySelectorAll(".over")];
  const axes = [...document.querySelectorAll(".times")];
  let cells = null;

  // The reverse of how the cells were written: base64, zlib, seven bits a byte, zigzag, differences between columns.
  async function readCells() {
    const text = document.getElementById("cells").textContent;
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const read = new Float64Array(columns * perColumn);
    for (let at = 0, index = 0; index < read.length; index++) {
      let value = 0, unit = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * unit;
        unit *= 128;
      } while (byte & 128);
      const difference = value % 2 ? -(value + 1) / 2 : value / 2;
      read[index] = difference + (index < perColumn ? 0 : read[index - perColumn]);
    }
    return read;
  }

  const sum = (from, to) => {
    let total = 0;
    for (let index = from; index < to; index++) total += cells[index];
    return total;
  };

  function timecode(secs) {
    const ms = Math.round(secs * 1000), pad = (n, digits = 2) => String(n).padStart(digits, "0");
    const hours = Math.floor(ms / 3600000), minutes = Math.floor(ms / 60000) % 60, seconds = Math.floor(ms / 1000) % 60;
    const clock = hours ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}`;
    return `${clock}.${pad(ms % 1000, 3)}`;
  }

  const percent = (share) => {
    const value = share * 100;
    return value === 0 ? "0 %" : value < 0.001 ? "< 0.001 %" : value < 1 ? `${value.toFixed(3)} %` : `${value.toFixed(1)} %`;
  };

  // The last column that has begun at that time.
  function columnAt(secs) {
    let low = 0, high = columns - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (clip.times[middle] <= secs) low = middle; else high = middle - 1;
    }
    return low;
  }

  const lines = overs.map((over) => ["x", "y"].map((axis) => {
    const line = document.createElement("div");
    line.className = `line ${axis}`;
    return over.appendChild(line);
  }));

  // The lowest, the mean and the highest level of a column, in the channel that stands for brightness. Levels of deeper videos
  // are added into rows, so that codes are known to the width of one.
  function levelsOf(column) {
    const at = column * perColumn + clip.light * rows, codes = 2 ** clip.bits / rows;
    let low = null, high = 0, count = 0, weighted = 0;
    for (let row = 0; row < rows; row++) {
      const samples = cells[at + row];
      if (!samples) continue;
      low ??= row;
      high = row;
      count += samples;
      weighted += samples * (row * codes + (codes - 1) / 2);
    }
    if (low === null) return [];
    const about = codes > 1 ? "~" : "";
    return [["min", low * codes], ["mean", (weighted / count).toFixed(2)], ["max", high * codes + codes - 1]]
      .map(([name, value]) => [`${clip.channels[clip.light]} ${name}`, about + value]);
  }

  function showLines(part, over, height) {
    overs.forEach((other, index) => {
      const [x, y] = lines[index];
      x.style.display = part === null ? "none" : "block";
      x.style.left = `${part * 100}%`;
      y.style.display = height !== null && heats.includes(other) && other.offsetHeight === over.offsetHeight ? "block" : "none";
      y.style.top = `${height * 100}%`;
    });
  }

  function entry(name, value, color) {
    const span = document.createElement("span"), small = document.createElement("small"), bold = document.createElement("b");
    small.textContent = name;
    if (color) small.style.color = color;
    bold.textContent = value;
    span.append(small, bold);
    return span;
  }

  // The level of a histogram, in cd/m² if its light is known.
  function valueOf(heat, row) {
    return clip.lit[heat] ? clip.lights[row] : `${(row / (rows - 1) * 100).toFixed(0)} %`;
  }

  // The figures at a time; with those of a level, if the pointer is on a histogram.
  function show(secs, heat, row) {
    const column = columnAt(secs), first = clip.first[column], last = clip.last[column];
    const entries = [
      entry("time", timecode(secs)),
      first === last ? entry("frame", first) : entry("frames", `${first} to ${last}`),
    ];
    if (row !== null) {
      const codes = 2 ** clip.bits / rows, low = row * codes;
      const levels = codes > 1 ? `${low} to ${low + codes - 1}` : `${low}`;
      entries.push(entry("level", `${levels} (${valueOf(heat, row)})`));
      if (cells) {
        clip.channels.forEach((name, channel) => {
          const at = column * perColumn + channel * rows;
          const share = cells[at + row] / Math.max(1, sum(at, at + rows));
          entries.push(entry(name, percent(share), clip.colors[channel]));
        });
      }
    } else if (cells) {
      entries.push(...levelsOf(column).map(([name, value]) => entry(name, value, clip.colors[clip.light])));
    }
    entries.push(entry("change", percent(clip.change[column])), entry("lowest", percent(clip.lowest[column])),
      entry("highest", percent(clip.highest[column])), entry("out of range", percent(clip.outside[column])));
    if (clip.loudness) {
      const level = (value, unit) => value === null ? "silent" : `${value.toFixed(1)} ${unit}`;
      entries.push(entry("loudness", level(clip.loudness[column], "LUFS")), entry("true peak", level(clip.peak[column], "dBTP")));
    }
    readout.replaceChildren(...entries);
    readout.classList.add("shown");
  }

  function hide() {
    showLines(null, null, null);
    readout.classList.remove("shown");
  }

  for (const over of [...overs, ...axes]) {
    over.addEventListener("pointermove", (event) => {
      const box = over.getBoundingClientRect();
      const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      const height = Math.min(Math.max((event.clientY - box.top) / box.height, 0), 1);
      const isHeat = heats.includes(over);
      const row = isHeat ? Math.min(rows - 1, Math.floor((1 - height) * rows)) : null;
      root.classList.remove("picked");
      showLines(part, over, isHeat ? height : null);
      // A frame's time is when it begins.
      show(clip.times[columnAt(clip.begin + part * (clip.end - clip.begin))], heats.indexOf(over), row);
    });
    over.addEventListener("pointerleave", hide);
  }
  // The first time axis takes keys: a column on or back, a tenth of them, the ends.
  const slider = axes[0], leap = Math.max(1, Math.round(columns / 10));
  const moves = {
    ArrowRight: (at) => at + 1, ArrowUp: (at) => at + 1, ArrowLeft: (at) => at - 1, ArrowDown: (at) => at - 1,
    PageUp: (at) => at + leap, PageDown: (at) => at - leap, Home: () => 0, End: () => columns - 1,
  };
  let focused = 0;
  function goTo(column) {
    focused = Math.min(Math.max(column, 0), columns - 1);
    root.classList.add("picked");
    const secs = clip.times[focused];
    showLines((secs - clip.begin) / (clip.end - clip.begin), null, null);
    show(secs, null, null);
    const told = [...readout.children].map((span) => [...span.children].map((part) => part.textContent).join(" "));
    slider.setAttribute("aria-valuenow", focused);
    slider.setAttribute("aria-valuetext", told.join(", "));
  }
  for (const [name, value] of Object.entries({
    tabindex: 0, role: "slider", "aria-label": "time", "aria-valuemin": 0, "aria-valuemax": columns - 1, "aria-valuenow": 0,
  })) slider.setAttribute(name, value);
  slider.addEventListener("focus", () => { if (slider.matches(":focus-visible")) goTo(focused); });
  slider.addEventListener("blur", hide);
  slider.addEventListener("keydown", (event) => {
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    goTo(moves[event.key](focused));
  });
  for (const row of document.querySelectorAll("[data-secs]")) {
    row.addEventListener("pointerenter", () => {
      root.classList.add("picked");
      const secs = Number(row.dataset.secs);
      showLines((secs - clip.begin) / (clip.end - clip.begin), null, null);
      show(secs, null, null);
    });
    row.addEventListener("pointerleave", hide);
    row.addEventListener("click", () => document.querySelector("main").scrollIntoView({ behavior: "smooth" }));
  }

  try {
    cells = await readCells();
    // What was read, for whoever wants to know that it is all there.
    root.dataset.sums = clip.channels.map((_, channel) => {
      let total = 0;
      for (let column = 0; column < columns; column++) {
        const at = column * perColumn + channel * rows;
        total += sum(at, at + rows);
      }
      return total;
    }).join(" ");
  } catch (error) {
    // An old browser: the readout goes without the shares.
    root.dataset.problem = String(error);
  }
  root.dataset.columns = columns;
  root.dataset.ready = "yes";
})();
