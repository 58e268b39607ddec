-- Deal scores keep every think time now. They are made from the log, and so made again.

TRUNCATE investigation.deal_scores, investigation.scored;
