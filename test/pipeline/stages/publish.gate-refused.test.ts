import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { bytesByPath } from "../../snapshots/store/temporary-root.ts";
import { editFile } from "../../support/journey/stage.ts";
import { AS_OF, makeStands } from "../cli/stand.ts";

const { published } = await makeStands();

it("a refusal of a gate comes out of a publish as what it is, and leaves no trace of what was written", async () => {
  const stand = published();
  const before = bytesByPath(stand.snapshots);
  const names = readdirSync(stand.snapshots);
  editFile(stand.archive, "registry.yaml", (text) => text.replaceAll("OptOut: true", "OptOut: false"));
  const end = await stand.govdata(["publish", "--as-of", AS_OF]);
  expect(end).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/error GATE_REFUSED: a gate refused this version:\n {2}OPT_OUTS_FELL: /),
  });
  expect(bytesByPath(stand.snapshots)).toEqual(before);
  expect(readdirSync(stand.snapshots)).toEqual(names);
  expect(readdirSync(stand.home).filter((name) => name.startsWith("."))).toEqual([]);
  expect(await stand.govdata(["publish", "--as-of", AS_OF, "--allow", "opt-outs"])).toMatchObject({
    code: 0,
  });
});
