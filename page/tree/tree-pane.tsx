import { computed, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { plural } from '../format';
import { isNarrow } from '../shell/screen';
import { goWithin, place } from '../state/place';
import { selectedPath, shownRun } from '../state/session';
import { AxisHead } from '../timeline/timeline';
import { axis, foldsIdle, timelineWidth } from '../timeline/timeline-state';
import { wordsOf } from './filter';
import { Tree } from './tree';
import { filterText, rows, tidy } from './tree-state';

/** The tree with its filter, its axis and its sums. */
export function TreePane(): VNode {
  const head = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = head.current;
    if (element === null) return undefined;
    const measure = (): void => {
      // The bars of a narrow screen are below the names.
      timelineWidth.value = isNarrow.peek() ? innerWidth - 24 : element.clientWidth;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return (
    <section class="tree-pane" aria-label="Agents and timeline">
      <div class="tree-head">
        <Filter />
        <div ref={head} class="axis-room">
          <AxisHead />
        </div>
      </div>
      {rows.value.length === 0 && filterText.value !== '' ? <NoHits /> : null}
      <Tree />
      <Foot />
    </section>
  );
}

function Filter(): VNode {
  const input = useRef<HTMLInputElement>(null);
  // The address changes it too: the back button, a link with a filter.
  useSignalEffect(() => {
    const text = filterText.value;
    if (input.current !== null && input.current !== document.activeElement) input.current.value = text;
  });
  return (
    <form
      class="tree-filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const words = wordsOf(filterText.peek());
        if (words !== '') goWithin({ params: { find: words, table: undefined, state: undefined } });
      }}
    >
      <Icon name="search" />
      <input
        id="filter"
        ref={input}
        type="search"
        placeholder="Filter: name, status:failed, cost:>0.5"
        title="Words, status: tool: type: cost:> turn:>. Enter searches the texts of all agents."
        aria-label="Filter agents. Enter searches the texts of all agents"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          goWithin({ params: { q: currentTarget.value === '' ? undefined : currentTarget.value } }, 'replace');
        }}
      />
    </form>
  );
}

function NoHits(): VNode {
  return (
    <p class="tree-empty">
      No agent matches <b>{filterText.value}</b>. Enter searches the texts of all agents.
    </p>
  );
}

/** Whether anything is folded on the axis, or would be. */
const hasIdle = computed(() => !foldsIdle.value || axis.value?.parts.some(({ isFolded }) => isFolded) === true);

function Foot(): VNode | null {
  const run = shownRun.value;
  if (run === undefined) return null;
  const turns = run.run.value.figures?.turns;
  const count = run.structure.value >= 0 ? run.size : 0;
  return (
    <div class="tree-foot">
      <span>
        {plural(count, 'agent')}
        {turns === undefined ? '' : ` · ${plural(turns, 'turn')}`}
      </span>
      <Legend />
      <span class="space" />
      {hasIdle.value && !isNarrow.value ? (
        <Button
          kind="quiet"
          label="Fold idle time (z)"
          pressed={foldsIdle.value}
          onClick={() => {
            foldsIdle.value = !foldsIdle.value;
          }}
        >
          idle time folded
        </Button>
      ) : null}
      {place.value.page === 'run' ? (
        <Button kind="quiet" label="Fold agents again by their state (.)" onClick={() => tidy(selectedPath.peek())}>
          Tidy
        </Button>
      ) : null}
    </div>
  );
}

/** What the bars mean. */
function Legend(): VNode {
  return (
    <span class="legend" aria-hidden="true">
      <svg>
        <rect class="bar model" y="0" width="16" height="14" />
      </svg>
      model
      <svg>
        <rect class="bar tool" y="3" width="16" height="8" />
      </svg>
      tool
      <svg>
        <rect class="bar wait" y="0" width="16" height="14" />
      </svg>
      waits
    </span>
  );
}
