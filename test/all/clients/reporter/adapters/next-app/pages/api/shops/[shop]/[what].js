import { stage, withHeartline } from '../../../../heartline.js';

export default withHeartline('/api/shops/[shop]/[what]', async (req, res) => {
  if (req.query.what === 'fail') throw new Error('The till is stuck.');
  if (req.query.what === 'hang') {
    stage.arrive();
    await new Promise((resolve) => res.once('close', resolve));
  } else res.status(202).json(req.query);
});
