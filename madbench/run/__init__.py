"""One run: episodes of one protocol over the samples of one task.

job.Job, run_job, finish_job     play what is missing; merge, measure and check what is there
journaled.JournaledEngine        an engine whose completions are kept and shared
recorded.RecordedModel           recorded completions, of our runs or of others, in place of a model
scoring.score                    scores and metrics again, from records alone, with another reader if wished
"""
