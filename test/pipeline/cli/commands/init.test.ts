import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { makeStands } from "../stand.ts";

const stands = await makeStands();

it("says with -q nothing but what is wrong", async () => {
  const stand = stands.fresh();
  expect(await stand.govdata(["init", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await stand.govdata(["init"])).stdout).toMatch(
    /^home .*\nkept the existing registry.*\nnext: govdata run/,
  );
  chmodSync(stand.home, 0o755);
  const open = await stand.govdata(["init", "-q"]);
  expect([open.code, open.stdout]).toEqual([0, `other users can enter the home: chmod 700 ${stand.home}\n`]);
});
