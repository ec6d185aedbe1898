import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import {
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  type Promised,
  proOnly,
  textOf,
} from "./promised.ts";

/** Every entity by ID and by wallet, including opted-out ones. */
export function entityRequests({ published, entities }: JourneySubjects): JourneyRequest[] {
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
  ];
}
