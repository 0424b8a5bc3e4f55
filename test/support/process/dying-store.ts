import type { RunStore, Store } from '../../../domain/store';
import type { WorkerFaults } from '../worker-process';

/** A store that kills the process before or after a record of a turn is written to a journal. */
export function dyingAtRecord(store: Store, { kind, call, when }: NonNullable<WorkerFaults['dieAtRecord']>): Store {
  const die = (): boolean => process.kill(process.pid, 'SIGKILL');
  const wrapped = (run: RunStore): RunStore =>
    withMethod(run, 'putIfAbsent', async (...args) => {
      const [itsKind, , itsCall] = args[0].split('/');
      const isIt = itsKind === kind && itsCall === String(call);
      if (isIt && when === 'before') die();
      const winner = await run.putIfAbsent(...args);
      if (isIt) die();
      return winner;
    });
  return withMethod(store, 'forRun', (id) => wrapped(store.forRun(id)));
}

/** The object with another method. Its other methods run on the object itself. */
function withMethod<T extends object, Name extends keyof T>(target: T, name: Name, method: T[Name]): T {
  return new Proxy(target, {
    get: (_, property) => {
      if (property === name) return method;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
