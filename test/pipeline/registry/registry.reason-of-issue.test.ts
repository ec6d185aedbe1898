import { expect, test } from "vitest";
import { parseRegistry } from "../../../pipeline/registry/registry.ts";

const dao = (lines: string) => `daos:\n  - space_id: a.eth\n    name: A\n    category: defi\n${lines}`;
const governor = (lines: string) =>
  dao(
    `    governor:\n      chain_id: 1\n      token: "0x${"0".repeat(40)}"\n      kind: erc20votes\n      clock: timestamp\n${lines}`,
  );

test.each([
  { why: "nothing at all", text: "", says: "file.yaml: the registry: must be a group of keys" },
  {
    why: "no list of DAOs",
    text: "entities: []",
    says: "daos: is missing: must be a list (lines that begin with a dash)",
  },
  { why: "a list of words", text: "daos:\n  - a.eth", says: "file.yaml:2: daos[0]: must be a group of keys" },
  {
    why: "no name",
    text: "daos:\n  - space_id: a.eth\n    category: defi",
    says: "daos[0].name: is missing: must be text",
  },
  {
    why: "a number for a name",
    text: "daos:\n  - space_id: a.eth\n    name: 7\n    category: defi",
    says: "file.yaml:3: daos[0].name: must be text",
  },
  {
    why: "a number in quotes",
    text: governor('      decimals: "18"\n      first_block: 1'),
    says: "file.yaml:10: daos[0].governor.decimals: must be a number",
  },
  {
    why: "half a decimal",
    text: governor("      decimals: 1.5\n      first_block: 1"),
    says: "decimals: must be a whole number",
  },
  {
    why: "too many decimals",
    text: governor("      decimals: 78\n      first_block: 1"),
    says: "decimals: must be at most 77",
  },
  {
    why: "a block before the first",
    text: governor("      decimals: 18\n      first_block: -1"),
    says: "first_block: must be at least 0",
  },
  {
    why: "an entity without wallets",
    text: `daos: []\nentities:\n  - entity_id: ent_${"0".repeat(26)}\n    label: L\n    wallets: []\n    publicApiOptOut: false`,
    says: "file.yaml:5: entities[0].wallets: must have at least 1 entries",
  },
  {
    why: "an opt-out in another spelling",
    text: `daos: []\nentities:\n  - entity_id: ent_${"0".repeat(26)}\n    label: L\n    wallets: ["0x${"0".repeat(40)}"]\n    publicApiOptOut: "no"`,
    says: "entities[0].publicApiOptOut: must be true or false",
  },
  {
    why: "one possible word",
    text: governor("      decimals: 18\n      first_block: 1\n      default_delegate: other"),
    says: "default_delegate: must be one of self",
  },
])("$why: $says", ({ text, says }) => {
  expect(() => parseRegistry(text, "file.yaml")).toThrow(says);
  expect(() => parseRegistry(text, "file.yaml")).not.toThrow(/Invalid|received|expected|Too /);
});
