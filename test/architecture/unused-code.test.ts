import { plantProject } from './planted-project';

interface Issues {
  readonly issues: readonly {
    readonly file: string;
    readonly files?: readonly unknown[];
    readonly exports?: readonly { readonly name: string }[];
    readonly types?: readonly { readonly name: string }[];
  }[];
}

describe('unused code', () => {
  test('is reported: files, exports and types that nothing uses', async () => {
    const project = await plantProject(['knip.json', 'tsconfig.json'], {
      'package.json': '{ "name": "planted", "private": true }',
      'client/index.ts': "import { used, type Used } from './file';\n\nexport const value: Used = used;\n",
      'client/file.ts':
        'export const used = 1;\nexport const unused = 2;\nexport type Used = number;\nexport type Unused = string;\n',
      'client/unused-file.ts': 'export const value = 1;\n',
    });
    const report = (await project.run('knip/bin/knip.js', '--reporter', 'json')) as Issues;
    await project.remove();
    const found = report.issues.flatMap(({ file, files = [], exports = [], types = [] }) => [
      ...files.map(() => file),
      ...[...exports, ...types].map(({ name }) => `${file}: ${name}`),
    ]);
    expect(found.sort()).toEqual(['client/file.ts: Unused', 'client/file.ts: unused', 'client/unused-file.ts']);
  });
});
