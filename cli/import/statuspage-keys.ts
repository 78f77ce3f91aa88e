import type { Keys } from './keys.js';

/** Members of a component. */
export const statuspageComponentKeys = {
  ...{ id: 'read', name: 'read', description: 'read', group: 'read', group_id: 'read' },
  only_show_if_degraded: 'noted',
  ...{ status: 'aside', created_at: 'aside', updated_at: 'aside', position: 'aside', showcase: 'aside' },
  ...{ start_date: 'aside', page_id: 'aside', components: 'aside', automation_email: 'aside' },
} as const satisfies Keys;

/** Members of an incident and of a maintenance. */
export const statuspageIncidentKeys = {
  ...{
    id: 'read',
    name: 'read',
    status: 'read',
    impact: 'read',
    components: 'read',
    incident_updates: 'read',
  },
  ...{ created_at: 'read', started_at: 'read', resolved_at: 'read', scheduled_for: 'read' },
  ...{ scheduled_until: 'read', postmortem_body: 'noted' },
  ...{ updated_at: 'aside', monitoring_at: 'aside', shortlink: 'aside', page_id: 'aside' },
  ...{ reminder_intervals: 'aside', metadata: 'aside', scheduled_remind_prior: 'aside' },
  ...{ postmortem_body_last_updated_at: 'aside', postmortem_ignored: 'aside' },
  ...{ postmortem_notified_subscribers: 'aside', postmortem_notified_twitter: 'aside' },
  ...{ postmortem_published_at: 'aside', auto_transition_deliver_notifications_at_end: 'aside' },
  ...{
    auto_transition_deliver_notifications_at_start: 'aside',
    auto_transition_to_maintenance_state: 'aside',
  },
  ...{ auto_transition_to_operational_state: 'aside', auto_tweet_at_beginning: 'aside' },
  ...{
    auto_tweet_on_completion: 'aside',
    auto_tweet_on_creation: 'aside',
    auto_tweet_one_hour_before: 'aside',
  },
  ...{
    scheduled_auto_completed: 'aside',
    scheduled_auto_in_progress: 'aside',
    scheduled_reminded_at: 'aside',
  },
  ...{ impact_override: 'aside', scheduled_auto_transition: 'aside' },
} as const satisfies Keys;
