import { z } from "zod";
import { problem } from "../http/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** Any case: a checksum in the spelling is the sender's affair. Looked up in lower case, the one we publish. */
const WalletText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());

/** `GET /v1/entities?wallet=…`: the entity that a wallet belongs to. */
export const entityByWallet = defineEndpoint({
  url: "/v1/entities",
  lowestTier: "pro",
  parameters: { wallet: { shape: WalletText, invalid: "wallet-invalid" } },
  find: ({ wallet }, { snapshot }) => {
    if (wallet === undefined) return problem("wallet-missing");
    const entityId = snapshot.entityIdOfWallet(wallet);
    if (entityId === undefined) return problem("entity-unknown");
    return documentAnswer(snapshot, "entity", entityId, "entity-unknown");
  },
});
