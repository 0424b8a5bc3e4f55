import { type Api, RequestFailed } from '../api';
import type { Recording, RecordedPageAgent, RunList, RunSnapshot } from '../protocol';
import { pageOf, searchEntries } from './answers';

/** The data inside the page; undefined in the live page. */
export function findRecording(): Recording | undefined {
  const text = document.getElementById('recording')?.textContent;
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as Recording);
}

/** Answers requests from the data inside the page. */
export function recordedApi(recording: Recording): Api {
  const agents = new Map<string, Promise<RecordedPageAgent>>();
  const agent = (path: string): Promise<RecordedPageAgent> => {
    const packed = recording.agents[path];
    if (packed === undefined) return Promise.reject(missing(`agent ${path}`));
    const found = agents.get(path) ?? unpack<RecordedPageAgent>(packed);
    agents.set(path, found);
    return found;
  };
  const answer = async (path: string): Promise<unknown> => {
    const [resource = '', query = ''] = path.split('?');
    const params = new URLSearchParams(query);
    const [, run, what] = resource.split('/');
    if (resource === 'hello') return { ...recording.hello, readOnly: true, now: recording.recordedAt };
    if (resource === 'runs') return listOf(recording);
    if (resource === 'attention') return { count: 0, oldest: null, incidents: [] };
    if (run !== undefined && decodeURIComponent(run) !== recording.run.run.runId) throw missing(`run ${run}`);
    if (what === undefined) return { ...recording.run, seq: 0 } satisfies RunSnapshot;
    if (what === 'files') return recording.files;
    if (what === 'artifacts') return recording.artifacts;
    const { entries, prompt, budget, events } = await agent(params.get('agent') ?? '');
    const found = { entries: pageOf(entries, params), prompt, budget, events }[what];
    if (found === undefined || found === null) throw missing(what);
    return found;
  };
  return {
    recordedAt: recording.recordedAt,
    get: <T>(path: string) => answer(path) as Promise<T>,
    getText: (path) => Promise.reject(missing(path)),
    getBytes: (path) => Promise.reject(missing(path)),
    search: (path, onFrame, signal) => {
      const q = new URLSearchParams(path.split('?')[1]).get('q') ?? '';
      const paths = recording.run.agents.map((each) => each.path).filter((each) => each in recording.agents);
      return searchEntries(q, paths, agent, onFrame, signal);
    },
    openStream: (path) => Promise.reject(missing(path)),
    post: (path) => Promise.reject(missing(path)),
  };
}

function listOf({ run }: Recording): RunList {
  return { runs: [run.run], counts: { all: 1, 'needs you': 0, running: 0, failed: 0, done: 0 }, next: null, gaps: [] };
}

function missing(what: string): RequestFailed {
  const message = `This recording does not contain ${what}.`;
  return new RequestFailed(what, 404, { type: 'Page.NotRecorded', message, remedy: 'Open the run with `baton ui`.' });
}

/** Unpacks gzipped JSON in base64. */
async function unpack<T>(packed: string): Promise<T> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as T;
}
