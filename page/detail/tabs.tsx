import type { JSX } from 'preact';
import type { AgentRow, RelayView } from '../../client/view/run-view';
import { goWithin } from '../state/place';

export type TabName = 'conversation' | 'steps' | 'prompt' | 'files' | 'artifacts' | 'budget' | 'events';

const labels: Readonly<Record<TabName, string>> = {
  conversation: 'Conversation',
  steps: 'Steps',
  prompt: 'Prompt',
  files: 'Files',
  artifacts: 'Artifacts',
  budget: 'Budget',
  events: 'Events',
};

/** Tabs of an agent. The root of a relay has steps instead of a conversation and a prompt. */
export function tabsOf({ path }: AgentRow, relay: RelayView | null): readonly TabName[] {
  if (relay !== null && path === '') return ['steps', 'files', 'artifacts', 'budget', 'events'];
  return ['conversation', 'prompt', 'files', 'artifacts', 'budget', 'events'];
}

export function chosenTab(wanted: string | undefined, tabs: readonly TabName[]): TabName {
  return tabs.find((tab) => tab === wanted) ?? tabs[0] ?? 'conversation';
}

/** Changes the tab. What belongs to the other one is taken out of the address. */
function goToTab(tab: TabName, tabs: readonly TabName[]): void {
  const left = { t: undefined, c: undefined, s: undefined, f: undefined, i: undefined };
  goWithin({ params: { ...left, tab: tab === tabs[0] ? undefined : tab } });
}

/** The list of tabs. Arrow keys move between them. */
export function Tabs({ tabs, chosen }: { readonly tabs: readonly TabName[]; readonly chosen: TabName }): JSX.Element {
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    goToTab(next, tabs);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="About this agent" onKeyDown={onKey}>
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`tab-${tab}`}
          aria-selected={tab === chosen}
          aria-controls="tab-panel"
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => goToTab(tab, tabs)}
        >
          {labels[tab]}
        </button>
      ))}
    </div>
  );
}
