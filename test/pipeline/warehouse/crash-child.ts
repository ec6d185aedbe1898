import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, beginGovernor, block, fillSample, proposal, transfer } from "./sample-facts.ts";

// Started by the crash test: fetches, then kills itself as a power cut would, before or right after the commit, or after
// a page or a stretch of logs.
const [path = "", moment] = process.argv.slice(2);
const warehouse = openWarehouse(path);
if (moment === "after-page") {
  const hub = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 2_000 });
  hub.put({ kind: "proposal", proposal: proposal("half") });
  hub.memory?.checkpoint({ series: "half", page: 0, payload: "kept", voters: [`0x${"f".repeat(40)}`] });
  process.kill(process.pid, "SIGKILL");
}
if (moment === "after-keep") {
  const governor = beginGovernor(warehouse);
  governor.put({ kind: "proposal", proposal: proposal("half") });
  governor.tokenMemory.rewind(block(2));
  governor.tokenMemory.keep([transfer(3, 1)], block(3, "b"));
  warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
  process.kill(process.pid, "SIGKILL");
}
const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 2_000 });
fillSample("a.eth")(fetch);
// More than SQLite's page cache holds, so that unfinished pages do reach the disk.
for (let index = 0; index < 6_000; index += 1) {
  fetch.put({ kind: "proposal", proposal: proposal(`half ${index}`, { title: "x".repeat(2_000) }) });
}
for (let index = 0; index < 2_000; index += 1) {
  fetch.internVoter(`0x${(index + 1_000).toString(16).padStart(40, "0")}`);
}
if (moment === "after-commit") fetch.commit();
process.kill(process.pid, "SIGKILL");
