import type { VolatileValues } from '../../domain/store';
import type { Sealing } from './sealing';

/** Names and seals the volatile values of a run. */
export function sealedValues(values: VolatileValues, sealing: Sealing): VolatileValues {
  return {
    write: (name, bytes) => values.write(sealing.valueNames(name)[0], sealing.sealValue(name, bytes)),
    async read(name) {
      for (const stored of sealing.valueNames(name)) {
        const content = await values.read(stored);
        if (content !== undefined) return sealing.openValue(stored, content);
      }
      return undefined;
    },
    async remove(name) {
      for (const stored of sealing.valueNames(name)) await values.remove(stored);
    },
  };
}
