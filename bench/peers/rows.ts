import type { Row } from '../runner/benchmark';
import { compared, measured, type RowOptions } from '../runner/rows';
import type { Results } from './scenes/figures';

/** Units by the first part of a figure's name, and by its last. */
const units: Readonly<Record<string, readonly [unit: string, wants: Row['wants']]>> = {
  turns_reached: ['turns', 'more'],
  bytes_per_turn: ['bytes/turn', 'less'],
  stored: ['bytes', 'less'],
  ms_per_turn: ['ms/turn', 'less'],
  children: ['children/s', 'more'],
  calls_again: ['calls', 'less'],
  tools_again: ['calls', 'less'],
  seconds: ['s', 'less'],
  asked: ['times', 'less'],
};

/** Makes a row of every figure of every other system, beside Baton's of the same rounds; of Baton's own if it is alone. */
export function rowsOf(results: Results): Row[] {
  const own = results.get('baton') ?? [];
  const others = [...results].filter(([name]) => name !== 'baton');
  const names = Object.keys(own[0] ?? {});
  const valuesOf = (rounds: typeof own, figure: string): number[] => rounds.flatMap((round) => round[figure] ?? []);
  if (others.length === 0) return names.map((figure) => measured(optionsFor('baton', figure), valuesOf(own, figure)));
  return others.flatMap(([name, rounds]) =>
    names.flatMap((figure) => {
      const [values, baselines] = [valuesOf(own, figure), valuesOf(rounds, figure)];
      return baselines.length === 0 ? [] : [compared(optionsFor(name, figure), values, baselines)];
    }),
  );
}

function optionsFor(system: string, figure: string): RowOptions {
  const parts = figure.split('.');
  const [unit, wants] = units[parts[0] ?? ''] ?? units[parts.at(-1) ?? ''] ?? ['', 'less'];
  return { name: `peer.${system}.${figure}`, unit, wants };
}
