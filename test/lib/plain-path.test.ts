import t from 'tap';
import { isPlainPath } from '../../lib/web-address.js';

const names = [
  '.',
  '..',
  '',
  'a/b',
  'a\\b',
  '%2e%2e',
  '%2E',
  '?x',
  '#',
  'a b',
  '\t',
  '...',
  '.a',
  'ä',
  '\0',
  ';',
  '@',
];

t.test('a path is plain exactly when a URL parser leaves its segments alone and none is empty', async (t) => {
  const wrong = names.filter((name) => {
    const path = `/api/v1/pages/${encodeURIComponent(name)}/monitors`;
    const stays = new URL(path, 'http://localhost').pathname === path && name !== '';
    return isPlainPath(path) !== stays;
  });
  t.strictSame(wrong, []);
});

t.test('encoded dots, the last segment and a query count too', async (t) => {
  const paths = ['/a/%2e%2E', '/a/.%2e', '/a/%2e', '/a/', '/a//b', '/a/..?x=1', '/a/..#b', 'a/b', '//a'];
  t.strictSame(paths.filter(isPlainPath), []);
  t.ok(isPlainPath('/a/b?to=/../c'));
});
