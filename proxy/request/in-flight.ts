/** How many requests are under way, in all and for each account. */
export interface InFlight {
  /** False where the cap, or the account's share of it, is reached; true counts one in. */
  readonly enter: (account: string) => boolean;
  readonly leave: (account: string) => void;
  readonly count: () => number;
}

/** No account may hold more than this part of the cap, so that one caller in a hurry does not turn all others away. */
const ACCOUNT_SHARE = 1 / 4;

/** An account may always have so many under way where the cap allows it: a busy page of one caller. */
const ACCOUNT_SHARE_MIN = 64;

/** Counts requests under way against a cap: beyond it callers are told to come back, and those inside get done. */
export function createInFlight(cap: number): InFlight {
  const share = Math.max(ACCOUNT_SHARE_MIN, Math.floor(cap * ACCOUNT_SHARE));
  const byAccount = new Map<string, number>();
  let count = 0;
  return {
    enter: (account) => {
      const own = byAccount.get(account) ?? 0;
      if (count >= cap || own >= share) return false;
      count += 1;
      byAccount.set(account, own + 1);
      return true;
    },
    leave: (account) => {
      count -= 1;
      const own = (byAccount.get(account) ?? 1) - 1;
      if (own === 0) byAccount.delete(account);
      else byAccount.set(account, own);
    },
    count: () => count,
  };
}
