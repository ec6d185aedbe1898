import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { createPseudonyms } from "../../../../../pipeline/tools/export/partitioned/pseudonyms.ts";

const SECRET = Buffer.alloc(32, 7);
const WALLET = `0x${"ab".repeat(20)}`;
const OTHER = `0x${"cd".repeat(20)}`;
const hmac = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");

it("makes names of HMACs under the secret, so that others can make them again who have it", () => {
  const { keyId, digestOf, entityBytes, voterIdOf, accountIdOf, personIdOf } = createPseudonyms(SECRET);
  expect(voterIdOf(WALLET)).toBe(hmac(`wallet ${WALLET}`).slice(0, 32));
  expect(personIdOf(WALLET, undefined)).toBe(hmac(`wallet ${WALLET}`).slice(32));
  expect(digestOf(WALLET).toString("hex")).toBe(hmac(`wallet ${WALLET}`));
  expect(accountIdOf(WALLET)).toBe(hmac(`account ${WALLET}`).slice(0, 32));
  for (const wallet of [WALLET, OTHER])
    expect(personIdOf(wallet, "ent_1"), "one person").toBe(hmac("entity ent_1").slice(32));
  expect(entityBytes("ent_1").toString("hex")).toBe(personIdOf(WALLET, "ent_1"));
  expect(keyId).toBe(createHash("sha256").update(hmac("key"), "hex").digest("hex").slice(0, 16));
});
