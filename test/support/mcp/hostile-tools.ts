/** Tools as a hostile or careless server lists them, with the names that tests expect to be skipped or kept. */
const object = { type: 'object', properties: {} };

function nested(levels: number): object {
  return levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };
}

export const hostileTools: readonly unknown[] = [
  { name: 'good', description: 'Works.', inputSchema: object },
  { name: 'good', description: 'The same name again.', inputSchema: object },
  { name: 'na me', description: 'A name with a space.', inputSchema: object },
  { name: 'x'.repeat(500), description: 'A long name.', inputSchema: object },
  { name: 'hidden', description: 'Be\u{E0041}nign\u0000 \u202Eword\u001B[31m', inputSchema: object },
  { name: 'huge', description: 'y'.repeat(1_000_000), inputSchema: object },
  { name: 'no_object', description: 'Not an object.', inputSchema: { type: 'string' } },
  { name: 'deep', description: 'Deep.', inputSchema: nested(60) },
  {
    name: 'referring',
    description: 'Uses a reference.',
    inputSchema: {
      type: 'object',
      properties: { where: { $ref: '#/$defs/place' } },
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  },
  {
    name: 'recursive',
    description: 'Refers to itself.',
    inputSchema: { type: 'object', properties: { child: { $ref: '#' } } },
  },
  {
    name: 'outside',
    description: 'Refers to another document.',
    inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1/schema.json' } } },
  },
  {
    name: 'either',
    description: 'Alternatives at the top.',
    inputSchema: { ...object, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  },
  {
    name: 'bad_parameter',
    description: 'A parameter name that providers reject.',
    inputSchema: { type: 'object', properties: { 'not allowed': { type: 'string' } } },
  },
  {
    name: 'contradictory',
    description: 'Claims both.',
    inputSchema: object,
    annotations: { readOnlyHint: true, destructiveHint: true },
  },
  {
    name: 'wrong_hint',
    description: 'A hint that is not true.',
    inputSchema: object,
    annotations: { readOnlyHint: 'yes' },
  },
  { description: 'No name.', inputSchema: object },
  'not a tool',
];
