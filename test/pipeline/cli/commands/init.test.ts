import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { makeStands } from "../stand.ts";

const stands = await makeStands();

it("says with -q nothing but what is wrong", async () => {
  const setup = stands.fresh();
  expect(await setup.govdata(["init", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await setup.govdata(["init"])).stdout).toMatch(
    /^home .*\nkept the existing registry.*\nnext: govdata run/,
  );
  chmodSync(setup.home, 0o755);
  const open = await setup.govdata(["init", "-q"]);
  expect([open.code, open.stdout]).toEqual([0, `other users can enter the home: chmod 700 ${setup.home}\n`]);
});
