import { hostname } from 'node:os';
import { createReporter } from '@heartline/reporter';
import { heartline } from '@heartline/reporter/express';
import express, { Router } from 'express';

const { HEARTLINE_URL, HEARTLINE_KEY, PORT = '3000' } = process.env;

const reporter = createReporter({
  url: HEARTLINE_URL,
  key: HEARTLINE_KEY,
  reporter: { reporterId: `shop-${hostname()}`, englishName: 'Shop', expectedEverySeconds: 30 },
});

const items = Router({ mergeParams: true });
items.get('/', (req, res) => res.json({ shop: req.params.shop, items: ['tea', 'coffee'] }));
items.get('/:item', (req, res) => res.json({ shop: req.params.shop, item: req.params.item }));

const carts = Router({ mergeParams: true });
carts.post('/:cart/checkout', () => {
  throw new Error('The payment gateway does not answer.');
});

const shops = Router();
shops.use('/:shop/items', items);
shops.use('/:shop/carts', carts);

const app = express();
app.use(heartline(reporter)); // before the routes
app.use('/shops', shops);
app.use((_error, _req, res, _next) => res.status(503).json({ error: 'Try again later.' }));

const server = app.listen(Number(PORT), () => console.log(`http://127.0.0.1:${server.address().port}`));

// First the last requests are answered, then they are reported.
process.once('SIGTERM', () => server.close(() => reporter.stop()));
