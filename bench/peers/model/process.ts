import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { FromModel, ToModel } from './messages';

type Behaviour = Omit<Extract<ToModel, { kind: 'behave' }>, 'kind'>;

/** The scripted model, the same for all systems, and what it has counted. */
export class PeerModel {
  /** When requests arrived and when their answers had been sent, in milliseconds, since it was told how to behave. */
  readonly arrived: number[] = [];
  readonly answered: number[] = [];
  /** Called when it waits in a turn. It continues afterwards. */
  onPause: (turn: number) => Promise<void> = () => Promise.resolve();
  addresses = { messages: '', chat: '', name: '' };
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private waiting: { readonly kind: FromModel['kind']; readonly resolve: () => void }[] = [];

  private constructor() {
    this.child = fork(require.resolve('./serve'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.ended = once(this.child, 'exit');
    this.child.on('message', (message: FromModel) => {
      if (message.kind === 'arrived' || message.kind === 'answered') this[message.kind].push(message.at);
      else if (message.kind === 'ready') this.addresses = message;
      else if (message.kind === 'pauses')
        void this.onPause(message.turn)
          // What could not be measured is missed later. The model must not wait for ever.
          .catch(() => undefined)
          .then(() => this.child.send({ kind: 'proceed' } satisfies ToModel));
      for (const { kind, resolve } of this.waiting) if (kind === message.kind) resolve();
      this.waiting = this.waiting.filter(({ kind }) => kind !== message.kind);
    });
  }

  static async start(): Promise<PeerModel> {
    const model = new PeerModel();
    await model.behave({ pauses: [] });
    return model;
  }

  /** Forgets what it has counted, and behaves like this from now on. */
  async behave(behaviour: Behaviour): Promise<void> {
    const ready = this.told('ready');
    this.child.send({ kind: 'behave', ...behaviour } satisfies ToModel);
    await ready;
    [this.arrived.length, this.answered.length] = [0, 0];
  }

  /** Resolves when it tells this the next time. */
  async told(kind: FromModel['kind']): Promise<void> {
    const told = new Promise<true>((resolve) => this.waiting.push({ kind, resolve: () => resolve(true) }));
    if ((await Promise.race([told, this.ended])) !== true) throw new Error('The scripted model has ended');
  }

  async close(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}
