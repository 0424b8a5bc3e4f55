import fc from 'fast-check';
import { createRedactor, redactSecrets } from '../../../domain/kernel';
import { redactorFor } from '../../../worker/redact';

const secrets: readonly [string, string, string][] = [
  ['an Anthropic key', 'invalid x-api-key sk-ant-api03-Abc_123-xyz', 'sk-ant'],
  ['a bearer token', 'Authorization failed for Bearer abcdef.ghijkl', 'abcdef'],
  ['an authorization header', 'authorization: Token abc def-secret', 'def-secret'],
  ['basic authentication', 'sent Basic dXNlcjpwYXNzd29yZA==', 'dXNlcj'],
  ['an Amazon key', 'denied for AKIAIOSFODNN7EXAMPLE', 'AKIA'],
  ['a temporary Amazon key', 'denied for ASIAIOSFODNN7EXAMPLE', 'ASIA'],
  ['a secret Amazon key', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY', 'wJalr'],
  ['a Google key', 'key AIzaSyA-1234567890abcdefghijklmnopqrstu', 'AIza'],
  ['a GitHub token', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'ghp_'],
  ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0abcdefghijkl_mnop', 'github_pat_'],
  ['a Slack token', 'xoxb-123456789012-abcdefghijkl', 'xoxb'],
  ['a JSON Web Token', 'got eyJhbGciOiJI.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4', 'eyJ'],
  ['a private key', 'bad -----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
  ['half a private key', 'bad -----BEGIN PRIVATE KEY-----\nMIIEow', 'MIIEow'],
  ['a query parameter', 'GET https://api.example/v1?x=1&key=0a1b2c3d', '0a1b2c3d'],
  ['another query parameter', 'GET https://api.example/v1?access_token=0a1b2c3d&x=1', '0a1b2c3d'],
  ['a password in an address', 'connect to https://someone:hunter2@api.example', 'hunter2'],
  ['a field of JSON', '{"api_key": "0a1b2c3d"}', '0a1b2c3d'],
  ['a header', 'x-goog-api-key: 0a1b2c3d', '0a1b2c3d'],
  ['a header of Azure', 'api-key: 0a1b2c3d0a1b2c3d', '0a1b2c3d'],
  ['a field of JSON within JSON', String.raw`{"message": "{\"api_key\": \"0a1b2c3d\"}"}`, '0a1b2c3d'],
  ['a field of a printed object', "{ secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }", 'wJalr'],
  ['a field of YAML', 'client_secret: 0a1b2c3d0a1b2c3d', '0a1b2c3d'],
  ['a sentence about a key', 'Incorrect API key provided: 0a1b2c3d0a1b2c3d.', '0a1b2c3d'],
  ['a bearer token after a colon', 'bearer: abcdef.ghijkl', 'abcdef'],
  ['a cookie', 'set-cookie: sid=0a1b2c3d; path=/', '0a1b2c3d'],
  ['a secret of a Google client', 'GOCSPX-abcdefghijklmnopqrstuvwxyz12', 'GOCSPX'],
  ['a secret of an Azure application', 'used abc8Q~AbCdEfGhIjKlMnOpQrStUvWxYz01234567 for it', '8Q~AbC'],
  ['a key of an Azure storage account', 'AccountName=x;AccountKey=0a1b2c3d0a1b2c3d==;EndpointSuffix=y', '0a1b2c3d'],
  ['a signed address of Azure', 'https://x.blob.core.windows.net/c?sv=2022&sig=0a1b2c3d%3D', '0a1b2c3d'],
  ['a key of Bedrock', 'ABSKabcdefghijklmnopqrstuvwxyz0123456789', 'ABSK'],
  ['an application token of Slack', 'xapp-1-A1-1-abcdefghijkl', 'xapp'],
  ['a web hook of Slack', 'https://hooks.slack.com/services/T0/B0/abcdefghijkl', 'abcdefghijkl'],
  ['a key of Groq', 'gsk_abcdefghijklmnopqrstuvwxyz0123456789', 'gsk_'],
  ['a key of xAI', 'xai-abcdefghijklmnopqrstuvwxyz0123456789', 'xai-'],
  ['a token of Vault', 'hvs.abcdefghijklmnopqrstuvwxyz0123456789', 'hvs.'],
];

describe('secrets', () => {
  test.each(secrets)('are removed: %s', (_, text, secret) => {
    expect(redactSecrets(text)).not.toContain(secret);
    expect(redactSecrets(text)).toContain('[secret removed]');
  });

  test.each([
    'Set a valid `ANTHROPIC_API_KEY` for the worker and restart it.',
    'Basic authentication failed',
    'connect ECONNREFUSED http://127.0.0.1:4010/v1/messages',
    '400: messages.1.content.0.tool_use.id: String should match pattern',
    '{"maxTokens":4,"workflowId":"run/20261116-031522-k3f9q1"}',
    'the token count is 12; key: value',
    'invalid key: messages.1.content.0',
    'Unrecognized key: "__proto__"',
    'api_key: required',
    'wrong password: please retry',
    'Incorrect API key provided: none.',
  ])('are not seen where there are none: %s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test('are removed twice without harm', () => {
    const once = secrets.map(([, text]) => redactSecrets(text)).join(' ');
    expect(redactSecrets(once)).toBe(once);
  });

  test("of the worker's own configuration are removed verbatim, unless they are as short as a word", () => {
    const redact = createRedactor({ secrets: ['my$own.(key)^value', 'short'] });
    expect(redact('got my$own.(key)^value, in short')).toBe('got [secret removed], in short');
  });

  test('that match a configured pattern are removed; a pattern that is not valid is an error', () => {
    const redact = redactorFor({ patterns: ['ACME-[0-9]+', '(?i)internal host \\w+'] });
    expect(redact('ACME-123 at Internal Host db7')).toBe('[secret removed] at [secret removed]');
    expect(() => redactorFor({ patterns: ['('] })).toThrow(/"\(" is not a regular expression/);
  });

  test('are searched for in linear time, whatever the text and the pattern', () => {
    const redact = redactorFor({ patterns: ['(a+)+$'] });
    const starts = [
      'eyJ-',
      '-----BEGIN PRIVATE KEY-----',
      'key=',
      'bearer ',
      '://a:',
      'AKIA',
      'a_',
      'sk-',
      '"key',
      'aaa!',
      'a-a_',
      'api key a ',
      'aKey: ',
      'cookie:',
      '\\\\"key\\\\":',
      'abc8Q~',
      'xai-',
      'hooks.slack.com/a/',
    ];
    const begun = Date.now();
    for (const start of starts) redact(start.repeat(1_000_000 / start.length));
    // Takes about a second. A search that is not linear would take hours.
    expect(Date.now() - begun).toBeLessThan(60_000);
  });

  test('never make the search throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof redactSecrets(text) === 'string'));
  });
});
