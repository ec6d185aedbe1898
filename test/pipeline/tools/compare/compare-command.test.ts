import { expect, it } from "vitest";
import { makeStands } from "../../cli/stand.ts";

const TIDE = "tidewater-credit.example";
const HARBOUR = "harbour-lanterns.example";
const { published } = await makeStands([TIDE, HARBOUR]);

interface Printed {
  readonly daos: readonly {
    readonly components: readonly { readonly key: string; readonly name: string }[];
  }[];
  readonly pairs: readonly {
    readonly sentence: string;
    readonly components: readonly { readonly key: string; readonly low: number; readonly high: number }[];
  }[];
}

it("says which DAO is ahead, in which components whatever is unknown, and shows a row for each", async () => {
  const setup = published();
  const json = await setup.govdata(["compare", TIDE, HARBOUR, "--json"]);
  const { daos, pairs }: Printed = JSON.parse(json.stdout);
  const [pair] = pairs;
  const nameOf = (key: string) => daos[0]?.components.find((component) => component.key === key)?.name;
  const weaker = pair?.components.filter(({ high }) => high < 0).map(({ key }) => nameOf(key)) ?? [];
  expect(weaker.length, "the world has a clear case").toBeGreaterThan(1);
  const { code, stdout } = await setup.govdata(["compare", TIDE, HARBOUR]);
  expect(code).toBe(0);
  const said = stdout.replaceAll(/\s+/g, " ");
  const names = `${weaker.slice(0, -1).join(", ")} and ${weaker.at(-1)}`;
  expect(said).toContain(
    `${pair?.sentence} Whatever the unknown values are, Harbour Lanterns is ahead in ${names}.`,
  );
  for (const { key, name } of daos[0]?.components ?? [])
    expect(stdout).toMatch(new RegExp(`^${key} ${name} `, "m"));
});
