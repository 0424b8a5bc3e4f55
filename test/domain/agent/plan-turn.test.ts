import fc from 'fast-check';
import { planTurn } from '../../../domain/agent';
import type { StopReason } from '../../../domain/model';
import { builtInToolNames, type ToolDescription } from '../../../domain/tool';

/** Tools whose calls never run inside a turn. */
const never: readonly string[] = [
  'slow_tool',
  'send_mail',
  'run_command',
  'mcp__docs__search',
  'dispatch_subagent',
  'dispatch_subagents',
  'dispatch_skill',
  'request_tool',
  'find_tool',
  'ask_operator',
];
const names = ['add_note', 'grep', 'own_tool', 'quick_tool', ...never];

function describeTool(name: string): ToolDescription {
  const inline = name === 'slow_tool' ? 'never' : name === 'quick_tool' ? 'quick' : undefined;
  return {
    name,
    id: `test/${name}@1`,
    description: 'A tool.',
    inputSchema: {},
    success: 'Done.',
    cost: 'None.',
    safeToRepeat: name !== 'send_mail',
    ...(inline === undefined ? {} : { inline }),
    ...(name.startsWith('mcp__') ? { mcp: { server: 'docs', tool: 'search', hash: 'h' } } : {}),
  };
}

const tools = names.map(describeTool);

interface Turn {
  readonly calls: readonly string[];
  readonly stopReason: StopReason;
  readonly except: readonly string[];
  readonly missing: readonly string[];
  readonly hasDied: boolean;
}

const turns: fc.Arbitrary<Turn> = fc.record({
  calls: fc.array(fc.constantFrom<string>(...names, 'unknown_tool', 'add_note', 'own_tool'), {
    minLength: 1,
    maxLength: 14,
  }),
  stopReason: fc.constantFrom<StopReason>('toolCalls', 'toolCalls', 'toolCalls', 'outputLimit', 'paused', 'refused'),
  except: fc.subarray<string>([...names], { maxLength: 2 }),
  missing: fc.subarray<string>([...names], { maxLength: 1 }),
  hasDied: fc.boolean(),
});

const plan = ({ calls, stopReason, except, missing, hasDied }: Turn) =>
  planTurn({ stopReason, toolCalls: calls.map((name) => ({ name })) }, tools, {
    except,
    isOnWorker: ({ name }) => !missing.includes(name),
    hasDied,
  });
const insideOf = (turn: Turn): string[] =>
  plan(turn).flatMap((why, index) => (why === undefined ? [turn.calls[index]!] : []));
const isQuick = (name: string): boolean =>
  name === 'quick_tool' || (name !== 'grep' && Object.values<string>(builtInToolNames).includes(name));

describe('the plan of a turn', () => {
  const always = (property: (turn: Turn) => void): void => {
    fc.assert(fc.property(turns, property), { numRuns: 2_000 });
  };

  test('says of every call where it runs', () => {
    always((turn) => {
      expect(plan(turn)).toHaveLength(turn.calls.length);
    });
  });

  test('never runs a call inside that the workflow has to run, or this worker can not', () => {
    always((turn) => {
      for (const name of insideOf(turn)) {
        expect(never).not.toContain(name);
        expect(name).not.toBe('unknown_tool');
        expect([...turn.except, ...turn.missing]).not.toContain(name);
      }
    });
  });

  test('runs nothing inside if the reply was cut, or if workers died with its calls', () => {
    always((turn) => {
      if (turn.stopReason !== 'toolCalls' || turn.hasDied) expect(insideOf(turn)).toEqual([]);
    });
  });

  test('runs at most eight calls inside', () => {
    always((turn) => {
      expect(insideOf(turn).length).toBeLessThanOrEqual(8);
    });
  });

  test('lets no other call wait for a tool that may take long', () => {
    always((turn) => {
      const inside = insideOf(turn);
      if (inside.length < turn.calls.length) expect(inside.every(isQuick)).toBe(true);
    });
  });

  test('does not depend on the order of the calls', () => {
    always((turn) => {
      const reversed = plan({ ...turn, calls: [...turn.calls].reverse() });
      expect([...reversed].reverse()).toEqual(plan(turn));
    });
  });

  test('only moves calls out if a rule is added', () => {
    fc.assert(
      fc.property(turns, fc.constantFrom(...names), (turn, name) => {
        const before = plan(turn);
        const after = plan({ ...turn, except: [...turn.except, name] });
        // With more than eight calls, none runs inside; a rule that leaves eight lets them in.
        if (before.includes('many')) return;
        after.forEach((why, index) => {
          if (why === undefined) expect(before[index]).toBeUndefined();
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('runs every call inside that has no reason against it', () => {
    const calls = ['add_note', 'grep', 'own_tool', 'quick_tool'];
    expect(insideOf({ calls, stopReason: 'toolCalls', except: [], missing: [], hasDied: false })).toEqual(calls);
  });
});
