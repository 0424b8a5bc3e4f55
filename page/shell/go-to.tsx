import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shortId } from '../format';
import type { Place } from '../state/address';
import { go } from '../state/place';
import { runs } from '../state/runs';
import { shownRun } from '../state/session';
import { titleOf } from '../tree/agent-name';
import { Dialog } from './dialog';

export const isGoToOpen = signal(false);

interface Target {
  readonly title: string;
  readonly id: string;
  readonly place: Place;
}

const most = 12;

/** Goes to an agent or a run by its name or id. */
export function GoTo(): VNode {
  const close = (): void => {
    isGoToOpen.value = false;
  };
  return (
    <Dialog isOpen={isGoToOpen.value} onClose={close} label="Go to an agent or run" class="go-to">
      <Chooser onDone={close} />
    </Dialog>
  );
}

/** Agents of the run that is shown, then runs. */
function targets(text: string): Target[] {
  const wanted = text.toLowerCase();
  const run = shownRun.peek();
  const found: Target[] = [];
  for (const agent of run?.all() ?? []) {
    if (found.length >= most) return found;
    const row = agent.peek();
    if (!`${titleOf(row)} ${row.path}`.toLowerCase().includes(wanted)) continue;
    const place = { page: 'run', run: run?.runId ?? '', path: row.path, params: {} } as const;
    found.push({ title: titleOf(row), id: shortId(row.path.slice(row.path.lastIndexOf('/') + 1)), place });
  }
  for (const { runId, title } of runs.peek().rows) {
    if (found.length >= most) return found;
    if (`${title} ${runId}`.toLowerCase().includes(wanted))
      found.push({ title, id: runId, place: { page: 'run', run: runId, path: '', params: {} } });
  }
  return found;
}

function Chooser({ onDone }: { onDone: () => void }): VNode {
  const text = useSignal('');
  const active = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const found = targets(text.value);
  const choose = (target: Target | undefined): void => {
    if (target === undefined) return;
    onDone();
    go(target.place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') choose(found[active.value]);
    else if (event.key === 'ArrowDown') active.value = Math.min(found.length - 1, active.value + 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(0, active.value - 1);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-expanded={true}
        aria-controls="go-to-list"
        aria-activedescendant={`go-to-${active.value}`}
        aria-label="Name or id"
        placeholder="Go to an agent or run: name or id"
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <Targets found={found} active={active.value} onChoose={choose} />
      {found.length === 0 ? <p class="muted">Nobody has this name or id.</p> : null}
    </>
  );
}

function Targets(props: { found: readonly Target[]; active: number; onChoose: (target: Target) => void }): VNode {
  return (
    <ul id="go-to-list" role="listbox" aria-label="Agents and runs">
      {props.found.map((target, index) => (
        <li
          key={`${target.id} ${index}`}
          id={`go-to-${index}`}
          role="option"
          aria-selected={index === props.active}
          onClick={() => props.onChoose(target)}
        >
          <span class="cut">{target.title}</span>
          <span class="muted mono">{target.id}</span>
        </li>
      ))}
    </ul>
  );
}
