import { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

// An entity that opted out is not in the snapshot, and answers as an unknown one.
export const entityById = defineEndpoint({
  url: "/v1/entities/:entity_id",
  lowestTier: "pro",
  operationId: "getEntity",
  tag: "Entities",
  summary: "One labelled entity by its id",
  description:
    "An entity, its wallets, and the DAOs it takes part in. One that opted out answers exactly as one that does not exist.",
  answers: { shape: ENVELOPES.entity, mayBeKept: false },
  refusals: ["entity-unknown"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => documentResponse(snapshot, "entity", pathId, "entity-unknown"),
});

/** Any case: a checksum in the spelling is the sender's affair. Looked up in lower case, the one we publish. */
const WalletText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());

export const entityByWallet = defineEndpoint({
  url: "/v1/entities",
  lowestTier: "pro",
  operationId: "findEntityByWallet",
  tag: "Entities",
  summary: "The entity that a wallet belongs to",
  description: "The same answer as by id. One that opted out answers exactly as one that does not exist.",
  parameters: {
    wallet: {
      shape: WalletText,
      invalid: "wallet-invalid",
      description: "An EVM address in any case; a checksum in its spelling is not judged.",
      isRequired: true,
      example: "0x00000000000000000000000000000000000000a1",
    },
  },
  answers: { shape: ENVELOPES.entity, mayBeKept: false },
  refusals: ["wallet-missing", "entity-unknown"],
  find: ({ wallet }, { snapshot }) => {
    if (wallet === undefined) return "wallet-missing";
    const entityId = snapshot.entityIdOfWallet(wallet);
    if (entityId === undefined) return "entity-unknown";
    return documentResponse(snapshot, "entity", entityId, "entity-unknown");
  },
});
