"""The RAT model: retrieval, abstention and task success of one RAG system, from counts.

Source: von Däniken, Saaro, Cieliebak, Deriu, "The RAT: A Unified Bayesian Model for RAG
Evaluation" (2026).
"""
