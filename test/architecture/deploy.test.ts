import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { serverSettings } from '../../scripts/cluster/services/temporal-configuration';
import { serverArguments } from '../../temporal-config/dev-server/server-arguments';
import { taskQueueFor } from '../../temporal-config/task-queues';
import { projectRoot } from '../support/paths';

// Docker and Kubernetes are not needed for tests. What follows is what a schema can't know: that files agree with each other
// and with Baton. docs/deploy.md says how the files were checked against the schemas of these tools.

const folder = join(projectRoot, 'deploy');
const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');

interface Manifest {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  readonly resources?: readonly string[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

function manifests(): Manifest[] {
  const files = readdirSync(join(folder, 'kubernetes'));
  return files.flatMap((file) =>
    parseAllDocuments(read('kubernetes', file)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
}

interface Pod {
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
  readonly containers: readonly {
    readonly image: string;
    readonly command?: readonly string[];
    readonly securityContext: object;
    readonly resources: { readonly limits: { readonly memory: string } };
  }[];
}

function pods(): Pod[] {
  return manifests().flatMap(({ kind, spec }) =>
    ['Deployment', 'Job'].includes(kind) ? [(spec as { template: { spec: Pod } }).template.spec] : [],
  );
}

interface Service {
  readonly image?: string;
  readonly depends_on?: object;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
}

describe('the files in deploy/', () => {
  const compose = (): { services: Readonly<Record<string, Service>> } =>
    parse(read('compose.yaml'), { merge: true }) as never;

  test('describe an image without root and without build tools', () => {
    const final =
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    expect(final).toMatch(/^USER 10001$/m);
    expect(final).toMatch(/^HEALTHCHECK /m);
    expect(final).not.toMatch(/build-essential|python3|\bgcc\b|npm (ci|install)/);
    for (const [, path] of read('Dockerfile').matchAll(/--from=build \/build\/(\S+)/g))
      expect(['dist', 'node_modules', ...readdirSync(projectRoot)]).toContain(path);
  });

  test('let the build see every file that it compiles', () => {
    const seen = read('Dockerfile.dockerignore').match(/(?<=^!)\S+$/gm) ?? [];
    const unseen = (paths: readonly string[]): readonly string[] =>
      paths.filter((path) => !seen.some((each) => `${path}/`.startsWith(`${each}/`)));
    const ofProject = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');
    const { include } = JSON.parse(ofProject('tsconfig.build.json')) as { include: string[] };
    expect(unseen(include)).toEqual([]);
    // Files of these folders import others, which are compiled with them.
    const { fileNames } = JSON.parse(ofProject('dist/.tsbuildinfo')) as { fileNames: string[] };
    const sources = fileNames.flatMap((name) => /^\.\.\/(?!node_modules)([^.].*)/.exec(name)?.[1] ?? []);
    expect(sources).toContain('worker/main.ts');
    expect(unseen(sources)).toEqual([]);
  });

  test('describe an image with the client of every store that they configure', () => {
    const configured = read('compose.yaml') + read('kubernetes', 'secret.example.yaml');
    expect(configured).toMatch(/s3:\/\//);
    const [build = ''] = read('Dockerfile').split(/^FROM node:22-bookworm-slim$/m);
    expect(build).toMatch(/npm pkg set "dependencies\.@aws-sdk\/client-s3=[^]*npm prune --omit=dev/);
  });

  test('run every pod without privileges, from a read-only disk, with a memory limit', () => {
    expect(pods()).toHaveLength(2);
    for (const { securityContext, containers } of pods()) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
      }
    }
  });

  test('select and scale the pods that exist', () => {
    const all = manifests();
    const of = (kind: string): Manifest | undefined => all.find((manifest) => manifest.kind === kind);
    const labels = { 'app.kubernetes.io/name': 'baton-worker' };
    expect(of('Deployment')?.spec).toMatchObject({ selector: { matchLabels: labels } });
    expect(of('Deployment')?.spec).toMatchObject({ template: { metadata: { labels } } });
    expect(of('PodDisruptionBudget')?.spec).toMatchObject({ selector: { matchLabels: labels } });
    expect(of('ScaledObject')?.spec).toMatchObject({ scaleTargetRef: { name: of('Deployment')?.metadata?.name } });
    expect(of('Kustomization')?.resources).toEqual(
      expect.arrayContaining(readdirSync(join(folder, 'kubernetes')).filter((file) => !/^kustom|example/.test(file))),
    );
  });

  test('scale by the backlog of every queue that a worker of the settings has', () => {
    const { triggers } = manifests().find(({ kind }) => kind === 'ScaledObject')?.spec as {
      triggers: { type: string; metadata: { taskQueue: string } }[];
    };
    const { data } = parse(read('kubernetes', 'settings.yaml')) as { data: Record<string, string> };
    const queue = data['BATON_TASK_QUEUE'] ?? '';
    expect(triggers.filter(({ type }) => type === 'temporal').map(({ metadata }) => metadata.taskQueue)).toEqual(
      (['model', 'tool', 'control'] as const).map((kind) => taskQueueFor(queue, kind)),
    );
  });

  test('give the Temporal server settings that the dev server and the cluster of the tests have too', () => {
    const { environment, volumes = [] } = compose().services['temporal'] ?? {};
    const [source = '', target = ''] = volumes[0]?.split(':') ?? [];
    expect(target).toBe(`/etc/temporal/${String(environment?.['DYNAMIC_CONFIG_FILE_PATH'])}`);
    const settings = parse(read(source)) as Record<string, [{ value: unknown }]>;
    expect(settings).toHaveProperty(['matching.enableFairness']);
    expect(serverSettings).toMatchObject(settings);
    const ofDevServer = serverArguments('', { grpc: 1, ui: 2 });
    for (const [name, [{ value }]] of Object.entries(settings))
      expect(ofDevServer).toContain(`${name}=${JSON.stringify(value)}`);
  });

  test('start services that exist, from images of a fixed version', () => {
    const { services } = compose();
    for (const { image = '', depends_on: needed = {} } of Object.values(services)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(needed)));
      if (image !== 'baton') expect(image).toMatch(/:v?\d/);
    }
    const workers = Object.keys(services).filter((name) => name.startsWith('worker'));
    expect(workers).toHaveLength(2);
    for (const worker of workers) expect(services[worker]?.environment).toHaveProperty('BATON_STORE');
  });
});
