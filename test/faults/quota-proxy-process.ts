import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { runCli } from "../../proxy/cli.ts";
import { commandWorld } from "../support/run-in-process.ts";

// `govdata-proxy` as it is, but for its clock: a line `clock MS AT` on stdin says what time it was at the real
// moment AT, and it goes on from there; `sh COMMAND` runs a command where this process is, which may be where only it sees a small disk. It answers `done`.
let aheadMs = 0;
const stops = new Set<() => void>();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [word = "", ...rest] = line.split(" ");
    if (word === "clock") aheadMs = Number(rest[0]) - Number(rest[1]);
    if (word === "sh") spawnSync("sh", ["-c", rest.join(" ")]);
    process.stdout.write("done\n");
  })
  .on("close", () => {
    for (const stop of stops) stop();
  });

process.exitCode = await runCli(
  process.argv.slice(2),
  commandWorld({
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    nowMs: () => Date.now() + aheadMs,
    onStopSignal: (stop) => {
      stops.add(stop);
      return () => stops.delete(stop);
    },
  }),
);
