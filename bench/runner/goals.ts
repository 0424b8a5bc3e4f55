import type { Row } from './benchmark';

/**
 * What a full run has to keep to, by the name of the row. The table of goals in docs/benchmarks.md says the same, and how
 * far each of them is reached.
 */
export const goals: Readonly<Record<string, NonNullable<Row['bound']>>> = {
  'fanout.isolated.100': { of: 'ratio', is: 1.2 },
  'fanout.isolated.500': { of: 'ratio', is: 1.2 },
  'fanout.shared.100': { of: 'ratio', is: 1.1 },
  'children.1000': { of: 'value', is: 2_500_000 },
  'turns.single': { of: 'ratio', is: 0.6 },
  'turns.single.bursts': { of: 'ratio', is: 0.25 },
  'history.bytes_per_turn.10': { of: 'value', is: 1_300 },
  'history.bytes_per_turn.100': { of: 'value', is: 1_300 },
  'history.bytes_per_turn.1000': { of: 'value', is: 1_300 },
  'history.bytes_per_turn.1000_over_10': { of: 'ratio', is: 1.05 },
  'wall_per_turn.500_over_10.small': { of: 'ratio', is: 1.05 },
  'wall_per_turn.500_over_10.20kb': { of: 'ratio', is: 1.4 },
  'replay.1000': { of: 'value', is: 2_000 },
  'replay.1000.growth': { of: 'value', is: 1.25 },
  'memory.1000_agents': { of: 'value', is: 150 },
  'memory.1000_agents.evicted': { of: 'value', is: 5 },
  'store.amplification': { of: 'ratio', is: 1.1 },
  'session.writes': { of: 'value', is: 500 },
  'cli.start': { of: 'ratio', is: 4 },
  'cli.start.list': { of: 'ratio', is: 8 },
  'cli.start.show': { of: 'ratio', is: 8 },
};
