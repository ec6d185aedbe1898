import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { AS_OF, LEAF, makeStands } from "../stand.ts";

let stands: Awaited<ReturnType<typeof makeStands>>;
beforeAll(async () => {
  stands = await makeStands();
});

describe("govdata repair", () => {
  it("is what every command leads to where the pointer was lost, and lets all of them go on", async () => {
    const setup = stands.published();
    const pointer = join(setup.snapshots, "current.json");
    const before = readFileSync(pointer, "utf8");
    const { version } = JSON.parse(before);
    rmSync(pointer);
    for (const args of [["status"], ["show", "daos"], ["recompute"], ["rollback", version], ["redact"]]) {
      const end = await setup.govdata(args);
      expect([end.code, end.stderr], args.join(" ")).toEqual([
        1,
        expect.stringContaining("`govdata repair`"),
      ]);
      expect(end.stderr).toContain(`versions are there: 1, the newest ${version}`);
    }
    const repaired = await setup.govdata(["repair"]);
    expect([repaired.code, repaired.stdout]).toEqual([
      0,
      expect.stringContaining(`current.json was missing and was rewritten: it names ${version} (sequence 1)`),
    ]);
    expect(readFileSync(pointer, "utf8")).toBe(before);
    expect((await setup.govdata(["status"])).code).toBe(0);
    expect((await setup.govdata(["repair"])).stdout).toContain("nothing to repair");
  });

  it("says what is wrong with the version it points at, and that publishing mends it", async () => {
    const setup = stands.published();
    const pointer = join(setup.snapshots, "current.json");
    const { version } = JSON.parse(readFileSync(pointer, "utf8"));
    writeFileSync(join(setup.snapshots, version, "risk", `${LEAF}.json`), "?");
    writeFileSync(pointer, "?");
    const refused = await setup.govdata(["publish", "--as-of", AS_OF]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("`govdata repair`")]);
    const repaired = await setup.govdata(["repair"]);
    expect([repaired.code, repaired.stdout]).toEqual([1, expect.stringContaining("next: `govdata publish`")]);
    expect((await setup.govdata(["publish", "--as-of", AS_OF])).code).toBe(0);
    expect((await setup.govdata(["verify", "--deep"])).code).toBe(0);
  });
});
