/** What a space's own configuration says about how it votes; `undefined` where the source does not know. */
export interface Space {
  readonly spaceId: string;
  readonly name: string | undefined;
  /** Only members may propose, or a proposal validation other than "any" is set. */
  readonly isProposingGated: boolean | undefined;
  /** A voting period is fixed by the space. */
  readonly hasFixedPeriod: boolean | undefined;
  /** The space's own quorum, in voting power; 0 is none. */
  readonly quorum: number | undefined;
  readonly adminsAndModeratorsCount: number | undefined;
}
