import { describe, expect, it } from "vitest";
import { buildEntities, participationsIn, publicEntities } from "../../../pipeline/documents/entities.ts";
import type { EntityParticipation } from "../../../pipeline/score/components/entities.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import { entityOf, participationOf, scoredDao, walletOf } from "./scored-daos.ts";

const NAMES = Array.from({ length: 12 }, (_, index) => `e${String(index).padStart(2, "0")}`);

const topOf = (entities: readonly EntityParticipation[], optedOut: readonly string[] = []) => {
  const dao = scoredDao({ entities });
  const registered = NAMES.map((name, index) =>
    entityOf(name, { wallets: [walletOf(index)], isOptedOut: optedOut.includes(name) }),
  );
  const named = publicEntities({ daos: [], entities: registered });
  const built = buildEntities(participationsIn(dao, named), named);
  return (topEntitiesOf(built).get(dao.dao.spaceId) ?? []).map(({ label }) => label);
};

describe("the strongest entities of a DAO", () => {
  it.each<{ why: string; given: EntityParticipation[]; optedOut?: string[]; want: string[] }>([
    { why: "nobody took part", given: [], want: [] },
    {
      why: "share decides first",
      given: [participationOf("e01", { powerShare: 0.1 }), participationOf("e02", { powerShare: 0.2 })],
      want: ["e02", "e01"],
    },
    {
      why: "of equal published shares, the number of proposals",
      given: [
        participationOf("e01", { powerShare: 0.10001, proposalsVoted: 1 }),
        participationOf("e02", { powerShare: 0.1, proposalsVoted: 2 }),
      ],
      want: ["e02", "e01"],
    },
    { why: "then the id", given: [participationOf("e02"), participationOf("e01")], want: ["e01", "e02"] },
    {
      why: "a share of 0 is a share",
      given: [participationOf("e01", { powerShare: 0 })],
      want: ["e01"],
    },
    {
      why: "no known power is no place among the strongest",
      given: [participationOf("e01", { powerShare: undefined })],
      want: [],
    },
    {
      why: "who did not vote in the frame is not among them",
      given: [participationOf("e01", { proposalsVoted: 0, powerShare: 0 })],
      want: [],
    },
    { why: "at most ten", given: NAMES.map((name) => participationOf(name)), want: NAMES.slice(0, 10) },
    {
      why: "the opted-out are filtered before ten are counted off",
      given: NAMES.map((name) => participationOf(name)),
      optedOut: ["e00", "e09"],
      want: NAMES.filter((name) => name !== "e00" && name !== "e09"),
    },
    { why: "an id that the registry does not know is not named", given: [participationOf("e99")], want: [] },
  ])("$why", ({ given, optedOut, want }) => {
    expect(topOf(given, optedOut)).toEqual(want);
  });
});
