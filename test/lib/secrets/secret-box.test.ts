import t from 'tap';
import { sqlUserPassword } from '../../../lib/secrets/secret-box.js';

t.test('the password of the SQL user is the HMAC-SHA256 of a fixed text, in hex', async (t) => {
  // printf clickhouse-sql-user | openssl dgst -sha256 -hmac key
  t.equal(sqlUserPassword('key'), '24eb8517fa0d0014936782de93aa5baed18417abbbb4eb197b69b85e4b3914ba');
});
