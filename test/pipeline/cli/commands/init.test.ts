import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { makeStands } from "../stand.ts";

const stands = await makeStands();

it("says with -q nothing but what is wrong", async () => {
  const workspace = stands.fresh();
  expect(await workspace.govdata(["init", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await workspace.govdata(["init"])).stdout).toMatch(
    /^home .*\nkept the existing registry.*\nnext: govdata run/,
  );
  chmodSync(workspace.home, 0o755);
  const open = await workspace.govdata(["init", "-q"]);
  expect([open.code, open.stdout]).toEqual([
    0,
    `other users can enter the home: chmod 700 ${workspace.home}\n`,
  ]);
});
