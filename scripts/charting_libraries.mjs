// What a charting library would cost a report: the page's size, its first paint, and what the
// page's policy refuses (docs/decisions.md). Needs chromium and Node 20, nothing else:
//
//     node scripts/charting_libraries.mjs report.html plotly=plotly.min.js echarts=echarts.min.js
//
// In a copy of the report the pictures are drawn by the library instead, five lines each. The name
// before `=` says how to call it: what begins with `plotly`, or `echarts`.

import { spawn } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const LOADS = 9;
const home = fs.mkdtempSync(path.join(os.tmpdir(), "charting-"));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${home}/profile`];
const browser = spawn("chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

const [waiting, events] = [new Map(), []];
let [rest, number, session, loaded] = [Buffer.alloc(0), 0, undefined, () => {}];
browser.stdio[4].on("data", data => {
  rest = Buffer.concat([rest, data]);
  for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
    const message = JSON.parse(rest.subarray(0, end));
    if (message.id) waiting.get(message.id)(message.result);
    else events.push(message);
    if (message.method === "Page.loadEventFired") loaded();
  }
});
const ask = (method, params = {}) =>
  new Promise(done => {
    waiting.set(++number, done);
    browser.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId: session })}\0`);
  });

const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
session = (await ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
for (const domain of ["Page", "Runtime", "Log"]) await ask(`${domain}.enable`);
await ask("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });

const open = async html => {
  fs.writeFileSync(`${home}/page.html`, html);
  const whole = new Promise(done => (loaded = done));
  await ask("Page.navigate", { url: `file://${home}/page.html` });
  await whole;
  await new Promise(done => setTimeout(done, 300));
  const times = `[performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    performance.getEntriesByType("navigation")[0].loadEventEnd, document.querySelectorAll(".chart > *, figure > svg").length]`;
  return (await ask("Runtime.evaluate", { expression: times, returnByValue: true })).result.value;
};

const measure = async (name, html) => {
  const found = [];
  let begun = 0;
  for (let load = 0; load < LOADS; load++) {
    begun = events.length;
    found.push(await open(html));
  }
  const least = at => Math.round(Math.min(...found.map(times => times[at])));
  const said = events.slice(begun).filter(it => /consoleAPI|exceptionThrown|entryAdded/.test(it.method));
  const first = said.length ? `; ${said.length} refusals, the first: ${JSON.stringify(said[0].params).slice(0, 220)}` : "";
  console.log(`${name}: ${Buffer.byteLength(html)} bytes, first paint ${least(0)} ms, loaded ${least(1)} ms, ${found[0][2]} drawings${first}`);
};

const [report, ...libraries] = process.argv.slice(2);
const ours = fs.readFileSync(report, "utf8");
const style = /<style>([^]*?)<\/style>/.exec(ours)[1];
const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
const bare = ours
  .replace(policy, "")
  .replace(/<script>[^]*?<\/script>/, "")
  .replace(/<svg class="(half|narrow|full)"[^]*?<\/svg>/g, (_, room) => (room === "half" ? '<div class="chart"></div>' : ""));
const data = "const [xs, ys, lines] = [[1, 2, 4, 8, 16], [60, 65, 70, 75, 80], [0, 1, 2, 3, 4]];";
const CALLS = {
  plotly: `${data} for (const box of document.querySelectorAll(".chart")) Plotly.newPlot(box, lines.map(k => ({ name: "m" + k, x: xs,
    y: ys.map(y => y + k), error_y: { type: "data", array: [1, 1, 1, 1, 1] } })), { xaxis: { type: "log" }, width: 580, height: 380 });`,
  echarts: `${data} for (const box of document.querySelectorAll(".chart")) echarts.init(box, null, { width: 580, height: 380 }).setOption({
    xAxis: { type: "log" }, yAxis: {}, tooltip: {}, legend: {},
    series: lines.map(k => ({ name: "m" + k, type: "line", data: xs.map((x, at) => [x, ys[at] + k]) })) });`,
};
const hash = text => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`;

await measure("ours", ours);
for (const [name, file] of libraries.map(given => given.split("="))) {
  const [library, call] = [fs.readFileSync(file, "utf8"), name.startsWith("plotly") ? CALLS.plotly : CALLS.echarts];
  const page = head => bare.replace("<head>", () => `<head>${head}`).replace("</body>", () => `<script>${library}</script><script>${call}</script></body>`);
  await measure(name, page(""));
  const rules = `default-src 'none'; script-src ${hash(library)} ${hash(call)}; style-src ${hash(style)}; img-src data:; require-trusted-types-for 'script'`;
  await measure(`${name}, under the policy of reports`, page(`<meta http-equiv="Content-Security-Policy" content="${rules}">`));
}
process.exitCode = 0;
browser.kill();
browser.on("exit", () => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
