"""How good people would find a question, learned from the grades of 2024.

One model for those who write questions and those who judge them.
"""
