import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contender } from './contenders';
import type { PeerModel } from './model/process';
import type { Server } from './servers';
import type { Place } from './system';
import { SystemProcess } from './system-process';

/** Where one system is played: its server, the model, and a folder. */
export class Stage {
  private plays = 0;

  private constructor(
    readonly contender: Contender,
    readonly model: PeerModel,
    private readonly folder: string,
    private readonly temporal: string,
    private readonly server: Server | undefined,
  ) {}

  static async open(
    contender: Contender,
    around: { readonly model: PeerModel; readonly folder: string; readonly temporal: string },
  ): Promise<Stage> {
    const server = await contender.server?.();
    return new Stage(contender, around.model, join(around.folder, contender.name), around.temporal, server);
  }

  /** Plays once: in a new process, with nothing stored before. */
  async play<T>(scene: (play: Play) => Promise<T>): Promise<T> {
    this.plays += 1;
    const folder = join(this.folder, String(this.plays));
    await mkdir(folder, { recursive: true });
    const { model, temporal, contender } = this;
    const place = { model: model.addresses, folder, temporal, ...(await this.server?.addresses()) };
    const play = new Play(contender, model, place);
    try {
      return await scene(play);
    } finally {
      await play.close();
    }
  }

  async close(): Promise<void> {
    await this.server?.close();
  }
}

/** One play of a system. */
export class Play {
  readonly id = `peer-${randomUUID().slice(0, 8)}`;
  private current: SystemProcess | undefined;

  constructor(
    readonly contender: Contender,
    readonly model: PeerModel,
    readonly place: Place,
  ) {}

  /** Starts a working process. */
  async start(): Promise<SystemProcess> {
    this.current = await SystemProcess.start(this.contender.file, this.place);
    return this.current;
  }

  async close(): Promise<void> {
    await this.current?.close();
  }
}
