import type { FollowState } from "@muster/core";

/** What a plugin says that it follows, as part of its status: nothing when it does not say, or throws. */
export function followed(ask: () => readonly FollowState[] | undefined): {
  readonly follows?: readonly FollowState[];
} {
  try {
    const follows = ask();
    return follows === undefined ? {} : { follows };
  } catch {
    // a probe must be answered, whatever one plugin does
    return {};
  }
}
