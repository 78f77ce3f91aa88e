import type { NamedDeployment } from '../../contract/manage/deployments.js';
import type { Fact } from '../rules/index.js';

/** An endpoint that contributes to an alert. */
export type EndpointFigures = { service: string; endpoint: string; requests: number; errors: number };

/** A message of failing requests, and how many had it. */
export type MessageFigures = { message: string; count: number };

/**
 * The facts that an engineer looks up first, as it was when the alert began: the window, the endpoints and messages that contribute
 * most, at most three of each, and the newest deployment of the 24 hours before. Parts that could not be read are absent.
 */
export type Evidence = {
  /** ISO 8601. */
  from?: string;
  to?: string;
  requests?: number;
  errors?: number;
  endpoints?: readonly EndpointFigures[];
  messages?: readonly MessageFigures[];
  deployment?: NamedDeployment;
  /** Since when a monitor is down, or when a reporter last reported; ISO 8601. */
  since?: string;
  /** A sentence and facts of kinds that have no figures of requests. */
  text?: string;
  facts?: readonly Fact[];
};
