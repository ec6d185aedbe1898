/** How many requests may be under way at once. */
export interface InFlight {
  /** False where the cap is reached; true takes a place. */
  readonly enter: () => boolean;
  readonly leave: () => void;
}

/** A counter with a cap: beyond it a caller is told to come back, and the ones inside get done. */
export function createInFlight(cap: number): InFlight {
  let count = 0;
  return {
    enter: () => {
      if (count >= cap) return false;
      count += 1;
      return true;
    },
    leave: () => {
      count -= 1;
    },
  };
}
