import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadRegistry } from "../../pipeline/registry/registry.ts";
import { WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { packsDirectory, readPacked } from "./packs.ts";

const PACKS = {
  spaces: "snapshot-spaces",
  research: "dao-research",
  labels: "tally-zero",
  tally: "tokenomics-as-institutional_design",
  aave: "aave-governance-cache",
} as const;

const directory = packsDirectory(Object.values(PACKS));
const { daos, entities } = loadRegistry(join(import.meta.dirname, "../../pipeline/registry/registry.yaml"));

const Verified = z.record(z.string(), z.int());
const Spaces = z.array(z.object({ id: z.string(), name: z.string() }));
const Labels = z.object({ delegates: z.record(z.string(), z.string()) });
const Index = z.record(z.string(), z.object({ name: z.string().optional() }));

/** What a name may be spelled like without being another one: case, spaces, dots, emoji and "DAO" do not count. */
const plain = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]|dao/g, "");

describe.skipIf(directory === undefined)(
  `the curated registry against its sources${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let verified: z.infer<typeof Verified>;
    const configured = new Map<string, string>();
    let recent = "";
    let aave = "";
    const namesOf = new Map<string, string[]>();

    beforeAll(() => {
      const from = (pack: string, path: string) => readPacked(directory ?? "", pack, path);
      const learn = (wallet: string, name: string | undefined): void => {
        if (name === undefined) return;
        namesOf.set(wallet.toLowerCase(), [...(namesOf.get(wallet.toLowerCase()) ?? []), name]);
      };
      verified = Verified.parse(JSON.parse(from(PACKS.spaces, "verified.json")));
      for (const { id, name } of Spaces.parse(JSON.parse(from(PACKS.research, "spaces_2021-12-19.json")))) {
        configured.set(id, name);
      }
      recent = from(PACKS.tally, "raw/snapshot_proposals.csv");
      aave = from(PACKS.aave, "cache/ui/mainnet/proposals/proposal_445.json");
      const { delegates } = Labels.parse(JSON.parse(from(PACKS.labels, "delegate-labels.json")));
      for (const [wallet, label] of Object.entries(delegates)) learn(wallet, label);
      const index = Index.parse(JSON.parse(from(PACKS.labels, "delegate-index.json")));
      for (const [wallet, { name }] of Object.entries(index)) learn(wallet, name);
      for (const line of from(PACKS.tally, "raw/tally_delegates.csv").split("\n").slice(1)) {
        const [, wallet, ens, name] = line.split(",");
        for (const alias of [ens, name]) learn(wallet ?? "", alias === "" ? undefined : alias);
      }
    });

    it("tracks no space that was flagged, and each as its source has it", () => {
      const sourceOf = (spaceId: string): string => {
        if (verified[spaceId] !== undefined && verified[spaceId] !== 1) return "flagged";
        if (configured.has(spaceId)) return "configured";
        if (verified[spaceId] === 1) return "verified";
        if (recent.includes(`,${spaceId},`)) return "recent";
        return aave.includes(`/s:${spaceId}/`) ? "aave" : "nowhere";
      };
      const ofSnapshot = daos.filter(({ snapshot }) => snapshot !== "none");
      const sources = ofSnapshot.map(({ spaceId }) => ({ spaceId, source: sourceOf(spaceId) }));
      expect(sources.filter(({ source }) => source === "flagged" || source === "nowhere")).toEqual([]);
      expect(sources.filter(({ source }) => source === "configured").length).toBeGreaterThanOrEqual(40);
    });

    it("calls each configured space by its own name", () => {
      const renamed = daos.filter(
        ({ spaceId, name }) => plain(configured.get(spaceId) ?? name) !== plain(name),
      );
      expect(renamed.map(({ spaceId }) => spaceId)).toEqual(["index-coop.eth", "qidao.eth"]);
    });

    it("labels only wallets that a source labels so", () => {
      const wrong = entities.flatMap(({ label, wallets }) =>
        wallets
          .map((wallet) => ({ label, wallet, names: namesOf.get(wallet) ?? [] }))
          .filter(({ names }) => !names.some((name) => plain(name).includes(plain(label)))),
      );
      expect(wrong).toEqual([]);
    });
  },
);
