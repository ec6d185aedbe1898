import { z } from "zod";
import { PipelineError } from "../base/pipeline-error.ts";
import type { GovernorToken } from "../facts/delegation.ts";
import { upstreamText } from "../facts/upstream-text.ts";
import { askHub, type HubDoor } from "../sources/snapshot-hub/ask-hub.ts";
import type { HubQuery } from "../sources/snapshot-hub/queries.ts";
import type { DaoChecker, PartCheck } from "./check-daos.ts";

const CHECK_QUERY: HubQuery = {
  name: "Space",
  field: "space",
  text: `query Space($id: String!) {
  space(id: $id) {
    id name
    strategies { name network params }
  }
}`,
};

const CheckedSpace = z.object({
  id: z.string(),
  name: z.string().nullish(),
  strategies: z.array(z.unknown()).nullish(),
});

/** Asks a Snapshot hub for a space, one request a DAO: its name, and whether its strategies name the registry's token. */
export function createHubSpaceChecker(door: HubDoor): DaoChecker {
  return {
    part: "space",
    async check({ spaceId, name, governor }) {
      const object = await askHub(door, CHECK_QUERY, { id: spaceId });
      if (object === null) return [{ part: "space", status: "missing", detail: "the hub has no such space" }];
      const space = CheckedSpace.safeParse(object);
      if (!space.success || space.data.id !== spaceId) {
        throw new PipelineError("SOURCE_FAILED", `the hub answered what is not the space ${spaceId}`);
      }
      const checks = [nameCheck(name, upstreamText(space.data.name))];
      if (governor !== undefined) checks.push(strategiesCheck(governor, space.data.strategies ?? []));
      return checks;
    },
  };
}

function nameCheck(name: string, there: string | undefined): PartCheck {
  // A space without a name contradicts nothing.
  if (there === undefined || there === name) return { part: "space", status: "same" };
  return { part: "space", status: "renamed", detail: `the hub calls it ${there}` };
}

/** Where in its parameters a strategy names a contract differs from one to the other; that it does is what can be known. */
function strategiesCheck({ token, governor }: GovernorToken, strategies: readonly unknown[]): PartCheck {
  const part = "strategies";
  if (strategies.length === 0) {
    return { part, status: "not-checked", detail: "the hub shows no strategies of the space" };
  }
  const text = JSON.stringify(strategies).toLowerCase();
  const isNamed = [token, governor].some((address) => address !== undefined && text.includes(address));
  if (isNamed) return { part, status: "same" };
  const what = governor === undefined ? `the token ${token}` : `the token ${token} or the governor`;
  return { part, status: "differs", detail: `no strategy of the space names ${what}` };
}
