import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { canStrace } from "../../../faults/strace-faults.ts";
import { PROJECT } from "../../../rules/source-files.ts";
import { compileCopy } from "../../../support/compiled-copy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const LEDGER = join(PROJECT, "proxy/quota/sqlite/quota-ledger.ts");
const ASKED = { account: "acme", day: "2026-04-01", limit: 10, units: 1 };

/** Settles groups in a process of its own, which says after each what came of it; and what it wrote, in order. */
function traced(fault: readonly string[] = []) {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "quota.db");
  openQuotaLedger(path).close();
  const program = `import { writeSync } from "node:fs";
    import { openQuotaLedger } from ${JSON.stringify(compileCopy(LEDGER))};
    const ledger = openQuotaLedger(${JSON.stringify(path)});
    // With a second one, to close the first after a failure is no end of the log.
    const other = openQuotaLedger(${JSON.stringify(path)});
    for (let turn = 0; turn < 4; turn += 1) {
      const said = await ledger.settle([${JSON.stringify(ASKED)}], []).then(
        ([{ used, granted }]) => \`used \${used}, granted \${granted}\`, (error) => error.code);
      writeSync(1, said + "\\n");
    }
    process.kill(process.pid, "SIGKILL");`;
  const trace = join(home, "trace");
  const tracing = ["-f", "-qq", "-y", "-o", trace, "-e", "trace=pwrite64,fdatasync,fsync,write"];
  const node = [process.execPath, "--input-type=module", "-e", program];
  const { stdout } = spawnSync("strace", [...tracing, ...fault, ...node], {
    encoding: "utf8",
    // Calls are counted by thread.
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  const calls = readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, call, file] = / (pwrite64|fdatasync|fsync)\(\d+<[^>]*\/quota\.(db(?:-wal)?)>/.exec(line) ?? [];
      if (call !== undefined) return [`${call === "pwrite64" ? "write" : "flush"} ${file}`];
      const [, said] = / write\(1<[^>]*>, "([^"]*)\\n"/.exec(line) ?? [];
      return said === undefined ? [] : [said];
    });
  return { said: stdout.trim().split("\n"), calls };
}

describe.runIf(canStrace())("a group that is settled (needs strace)", () => {
  it("is in the log, and the log on disk, before anybody is told", () => {
    const { calls, said } = traced();
    expect(said).toEqual([0, 1, 2, 3].map((used) => `used ${used}, granted 1`));
    said.forEach((words, index) => {
      const turn = calls.slice(calls.indexOf(said[index - 1] ?? "") + 1, calls.indexOf(words));
      expect(turn.slice(turn.lastIndexOf("write db-wal"))).toEqual(["write db-wal", "flush db-wal"]);
    });
  });

  it("is told of by nobody where the flush fails, and then all of the log must get into the file first", () => {
    const { calls, said } = traced(["-e", "inject=fdatasync:error=EIO:when=2"]);
    expect(said).toEqual(["used 0, granted 1", "EIO", "used 2, granted 1", "used 3, granted 1"]);
    const turn = calls.slice(calls.indexOf("EIO") + 1, calls.indexOf("used 2, granted 1"));
    expect(turn.filter((call, index) => call !== turn[index - 1])).toEqual([
      "flush db-wal",
      "write db",
      "flush db",
      "write db-wal",
      "flush db-wal",
      "write db-wal",
      "flush db-wal",
    ]);
    const later = calls.slice(calls.indexOf("used 2, granted 1") + 1);
    expect(later, "once it is there, no more").not.toContain("write db");
  });
});
