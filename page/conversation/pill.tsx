import type { JSX } from 'preact';
import { Icon } from '../components/icon';
import { plural } from '../format';
import type { ConversationState } from './conversation-state';
import { hasNewer } from './entry-list';
import type { ScrollKeeper } from './scroll-keeper';

interface PillProps {
  readonly state: ConversationState;
  readonly keeper: ScrollKeeper;
  readonly needsYou: boolean;
}

/** Says what is new below while the reader is elsewhere, and goes there. */
export function Pill({ state, keeper, needsYou }: PillProps): JSX.Element | null {
  const { isOn, missed } = keeper.following.value;
  if (isOn || (missed === 0 && !needsYou && !hasNewer(state.list.value))) return null;
  const words = missed > 0 ? `${plural(missed, 'new turn')} · not following` : needsYou ? 'needs you' : 'to the end';
  return (
    <button
      type="button"
      class={needsYou ? 'pill needs-you' : 'pill'}
      onClick={() => void state.loadEnd().then(() => keeper.follow())}
    >
      <Icon name="down" /> {words}
    </button>
  );
}
