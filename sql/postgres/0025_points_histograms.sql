-- Points now hold histograms of response times. The hours that a page can show, at most 90 days, are computed again from
-- their checks; older points have no histograms. Waiting batches compute them, the newest first.

update points_progress
set checks_inserted_until = least(checks_inserted_until, now() - interval '92 days');
