export type PageSize = ReturnType<typeof createPageSize>;

/** Below this share of the largest page, a timeout is no longer blamed on the number of rows. */
const SMALLEST_SHARE = 1 / 16;

/** Full pages in a row after which a size that failed is tried again; twice as many each time that it fails again. */
const PAGES_BEFORE_GROWTH = 8;

/**
 * Remembers the size of page that worked last. A page that failed is halved for all later pages too, because rows as
 * large as its own, or a service as slow, are met again; now and then the larger size is tried once more.
 */
export function createPageSize(most: number, atFirst = most) {
  let size = atFirst;
  let pages = 0;
  let pagesUntilGrowth = PAGES_BEFORE_GROWTH;
  let isTrial = false;
  return {
    now: (): number => size,
    /** Whether a fault that passes may be due to this many rows. */
    mayBeTooMuch: (first: number): boolean => first > Math.max(1, most * SMALLEST_SHARE),
    failed(first: number): void {
      // A size that had worked fails where rows are denser; after them, larger pages work again.
      pagesUntilGrowth = isTrial ? pagesUntilGrowth * 2 : PAGES_BEFORE_GROWTH;
      isTrial = false;
      pages = 0;
      size = Math.max(1, Math.floor(first / 2));
    },
    worked(first: number): void {
      if (first < size || size === most) return;
      isTrial = false;
      pages += 1;
      if (pages < pagesUntilGrowth) return;
      size = Math.min(most, size * 2);
      isTrial = true;
      pages = 0;
    },
  };
}
