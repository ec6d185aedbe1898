import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import {
  INVALID_PARAMETER,
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  type Promised,
  proOnly,
  textOf,
} from "./promised.ts";

/** Every entity by id and by wallet, those that opted out, and what is none. */
export function entityRequests({ published, entities }: JourneySubjects): JourneyRequest[] {
  const stranger = `0xf1c7${"0".repeat(36)}`;
  return [
    ...entities.flatMap((entity) => {
      const path = `entities/${entity.entityId}.json`;
      const promised: Promised = entity.isOptedOut
        ? NOT_FOUND
        : {
            status: 200,
            shape: ENVELOPES.entity,
            data: textOf(published, path),
            meta: metaOf(published),
            isEntity: true,
          };
      const why = entity.isOptedOut ? "an entity that opted out" : "an entity";
      return [
        proOnly(why, `/v1/entities/${entity.entityId}`, promised),
        ...entity.wallets.map((wallet) =>
          proOnly(`${why}, by wallet`, `/v1/entities?wallet=${wallet}`, promised),
        ),
        proOnly(
          `${why}, by a wallet in capitals`,
          `/v1/entities?wallet=0x${entity.wallets[0]?.slice(2).toUpperCase()}`,
          promised,
        ),
      ];
    }),
    proOnly("an entity nobody knows", `/v1/entities/ent_${"0".repeat(26)}`, NOT_FOUND),
    proOnly("an id of a wrong shape", "/v1/entities/ent_SHORT", NOT_FOUND),
    proOnly("a wallet nobody knows", `/v1/entities?wallet=${stranger}`, NOT_FOUND),
    proOnly("no wallet", "/v1/entities", INVALID_PARAMETER),
    ...["0x12", stranger.slice(2), `${stranger}0`, "", `${stranger}&wallet=${stranger}`].map((wallet) =>
      proOnly("a wallet that is none", `/v1/entities?wallet=${wallet}`, INVALID_PARAMETER),
    ),
  ];
}
