import { cpuTimeOf } from '../../../support/cpu-time';
import { maxOutputCharacters } from '../../../../domain/prompt/output/check-output';
import { plan, respond, step, violationIn } from './support';

const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, i) => {
  const of = i === 0 ? '&lol;' : `&lol${i};`;
  return `<!ENTITY lol${i + 1} "${of.repeat(10)}">`;
}).join('')}]>`;

const nested = (depth: number): string => respond(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`);

describe('a malicious answer', () => {
  test.each([
    ['a billion laughs', `${laughs}${respond('<goal>&lol9;</goal>')}`, /begins with/],
    ['a billion laughs inside', respond(`${laughs}<goal>&lol9;</goal>`), /doctype/],
    ['an entity that nobody has declared', respond(`<goal>&lol9;</goal>${step}`), /undefined entity/],
    ['an entity by the name of a method', respond(`<goal>&constructor;</goal>${step}`), /undefined entity/],
    [
      'a file as an entity',
      respond('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><goal>&f;</goal>'),
      /doctype/,
    ],
    ['a stylesheet', respond('<?xml-stylesheet href="x"?><goal>g</goal>'), /processing instruction/],
    ['an end of CDATA without a beginning', respond(`<goal>a ]]> b</goal>${step}`), /"]]>"/],
    ['CDATA that swallows the end', respond(`<goal><![CDATA[g</goal>${step}`), /well-formed/],
    ['CDATA in place of fields', respond('<![CDATA[<goal>g</goal><step><id>1</id></step>]]>'), /text outside/],
    ['a zero character', respond(`<goal>&#0;</goal>${step}`), /malformed character/],
    ['a character beyond Unicode', respond(`<goal>&#x110000;</goal>${step}`), /malformed character/],
    ['a namespace', respond(`<p:goal xmlns:p="urn:x">g</p:goal>${step}`), /attribute/],
    ['ten thousand levels', nested(10_000), /more than 32 levels deep/],
    ['levels that are never closed', respond('<a>'.repeat(200_000)), /more than 32 levels deep/],
    ['a name of endless length', respond(`<${'a'.repeat(300_000)}/>`), /unknown element <aaa/],
    ['a text of endless length', respond('x'.repeat(maxOutputCharacters)), /the limit is 1000000/],
  ])('with %s is refused', (_, text, expected) => {
    expect(violationIn(plan, text)).toMatch(expected);
  });

  // Quadratic time would take minutes.
  test('cannot make checking slow', async () => {
    const cpuMs = await cpuTimeOf(() => {
      violationIn(plan, `${' '.repeat(500_000)}x${' '.repeat(400_000)}`);
      violationIn(plan, respond('&'.repeat(900_000)));
      violationIn(plan, respond('<goal/>'.repeat(120_000)));
      violationIn({ json: { type: 'object' } }, '{'.repeat(900_000));
    });
    expect(cpuMs).toBeLessThan(20_000);
  });
});
