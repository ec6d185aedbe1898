import { createRandom } from "../../../fixtures/world/random.ts";

/** One DAO of a large world: how many vote on how much, and when. */
export interface LargeDao {
  readonly spaceId: string;
  readonly votes: number;
  readonly proposals: number;
  /** Wallets that ever vote here; each is a wallet of the whole world by `walletOf`. */
  readonly voters: number;
  readonly firstWallet: number;
  readonly walletStep: number;
  /** Wallets that vote alike within seconds, 0 in most DAOs. */
  readonly coordinated: number;
}

/** A world by its size alone: the same votes and seed give the same plan. */
export interface LargePlan {
  readonly daos: readonly LargeDao[];
  /** Wallets of the whole world. */
  readonly wallets: number;
}

/** The world's last moment: what it is scored as of. */
export const LARGE_WORLD_END = "2026-10-31T23:59:59.999Z";
export const LARGE_WORLD_DAYS = 3 * 365;

/** Half of a hub's spaces never see a hundred votes; these are what a registry would track. */
const TRACKED_DAOS = 1_000;
/** One wallet of the hub votes some five times a year and DAO. */
const VOTES_PER_WALLET = 5;
const VOTES_PER_VOTER = 4;
/** Both the proposals and the votes on each grow with the root of a DAO's votes: 400 of 3,300 in the largest of ten million. */
const PROPOSALS_PER_ROOT = 0.35;
const PROPOSALS_MIN = 6;

/** Plans DAOs whose votes follow Zipf's law: the k-th has a k-th of the first one's. */
export function planLargeWorld(votes: number, seed: string, daosCount = TRACKED_DAOS): LargePlan {
  const random = createRandom(`${seed} plan`);
  const wallets = Math.max(1_000, Math.round(votes / VOTES_PER_WALLET));
  const harmonic = Array.from({ length: daosCount }, (_, rank) => 1 / (rank + 1)).reduce((a, b) => a + b, 0);
  const daos = Array.from({ length: daosCount }, (_, rank): LargeDao => {
    const share = Math.max(60, Math.round(votes / (harmonic * (rank + 1))));
    const proposals = Math.max(PROPOSALS_MIN, Math.round(PROPOSALS_PER_ROOT * Math.sqrt(share)));
    const perProposal = Math.ceil(share / proposals);
    const voters = Math.min(
      Math.floor(wallets / 2),
      Math.max(3 * perProposal, Math.round(share / VOTES_PER_VOTER)),
    );
    return {
      spaceId: `dao-${String(rank + 1).padStart(4, "0")}.example`,
      votes: share,
      proposals,
      voters: Math.max(voters, perProposal + 1),
      firstWallet: random.whole(0, wallets - 1),
      // No divisor of the wallets' count, so that no two voters are one; neighbours here are strangers in the next DAO.
      walletStep: 10 * random.whole(20, 10_000) + 3,
      coordinated: rank % 50 === 7 ? Math.min(200, Math.floor(perProposal / 4)) : 0,
    };
  });
  return { daos, wallets };
}
